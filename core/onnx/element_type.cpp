#include "core/onnx/element_type.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>
#include <array>
#include <utility>

namespace loopglass::onnx {

namespace {
using ::onnx::TensorProto;

constexpr std::array<std::pair<int, DataType>, 12> types{{
    {TensorProto::FLOAT16, DataType::Float16},
    {TensorProto::FLOAT, DataType::Float32},
    {TensorProto::DOUBLE, DataType::Float64},
    {TensorProto::INT8, DataType::Int8},
    {TensorProto::INT16, DataType::Int16},
    {TensorProto::INT32, DataType::Int32},
    {TensorProto::INT64, DataType::Int64},
    {TensorProto::UINT8, DataType::UInt8},
    {TensorProto::UINT16, DataType::UInt16},
    {TensorProto::UINT32, DataType::UInt32},
    {TensorProto::UINT64, DataType::UInt64},
    {TensorProto::BOOL, DataType::Bool},
}};
}  // namespace

Result<DataType> element_type(int onnx_type) {
  for (const auto& [number, type] : types)
    if (number == onnx_type) return type;
  if (onnx_type == TensorProto::STRING)
    return fail(Code::ValueKindUnsupported, "tensors of strings are not supported");
  if (onnx_type == TensorProto::UNDEFINED)
    return fail(Code::ModelCorrupt, "a tensor has no element type");
  // Numbers newer than this ONNX library's (8-bit floats, 4-bit integers) have no name here.
  if (!TensorProto::DataType_IsValid(onnx_type))
    return fail(Code::TypeUnsupported,
                fmt::format("element type number {} is not supported", onnx_type));
  return fail(
      Code::TypeUnsupported,
      fmt::format("element type {} is not supported",
                  TensorProto::DataType_Name(static_cast<TensorProto::DataType>(onnx_type))));
}

int onnx_element_type(DataType type) {
  for (const auto& [number, ours] : types)
    if (ours == type) return number;
  std::unreachable();
}

}  // namespace loopglass::onnx
