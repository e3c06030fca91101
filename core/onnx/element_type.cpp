#include "core/onnx/element_type.h"

#include "core/ops/onnx_number.h"
#include "core/ops/support.h"

#include <fmt/format.h>
#include <onnx/onnx_pb.h>

namespace loopglass::onnx {

using ::onnx::TensorProto;

Result<DataType> element_type(int onnx_type) {
  if (const auto type = ops::numbered_type(onnx_type)) return *type;
  if (onnx_type == TensorProto::STRING)
    return fail(Code::ValueKindUnsupported, "tensors of strings are not supported");
  if (onnx_type == TensorProto::UNDEFINED)
    return fail(Code::ModelCorrupt, "a tensor has no element type");
  return fail(Code::TypeUnsupported,
              fmt::format("elements of {} are not supported", onnx_type_name(onnx_type)));
}

std::string onnx_type_name(int onnx_type) {
  if (TensorProto::DataType_IsValid(onnx_type))
    return TensorProto::DataType_Name(static_cast<TensorProto::DataType>(onnx_type));
  // Those that are newer than this ONNX library.
  constexpr int first_newer = 17;
  constexpr const char* newer[] = {
      "FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "UINT4",
      "INT4",         "FLOAT4E2M1",     "FLOAT8E8M0", "UINT2",          "INT2"};
  const auto place = static_cast<std::size_t>(onnx_type - first_newer);
  return onnx_type >= first_newer && place < std::size(newer) ? newer[place]
                                                              : fmt::format("type {}", onnx_type);
}

std::optional<FewBitType> few_bit_type(int onnx_type) {
  const std::string name = onnx_type_name(onnx_type);
  if (name == "UINT4") return FewBitType{DataType::UInt8, 4};
  if (name == "INT4") return FewBitType{DataType::Int8, 4};
  if (name == "UINT2") return FewBitType{DataType::UInt8, 2};
  if (name == "INT2") return FewBitType{DataType::Int8, 2};
  return std::nullopt;
}

int onnx_element_type(DataType type) { return static_cast<int>(ops::onnx_number(type)); }

}  // namespace loopglass::onnx
