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
  // Numbers newer than this ONNX library's (8-bit floats, 4-bit integers) have no name here.
  if (!TensorProto::DataType_IsValid(onnx_type))
    return fail(Code::TypeUnsupported,
                fmt::format("element type number {} is not supported", onnx_type));
  return fail(
      Code::TypeUnsupported,
      fmt::format("element type {} is not supported",
                  TensorProto::DataType_Name(static_cast<TensorProto::DataType>(onnx_type))));
}

int onnx_element_type(DataType type) { return static_cast<int>(ops::onnx_number(type)); }

}  // namespace loopglass::onnx
