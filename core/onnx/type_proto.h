// Types as ONNX declares them, which may be of what is no tensor here, or leave extents open.
#pragma once

#include "core/tensor/tensor.h"

#include <map>

namespace onnx {
class TensorProto;
class TypeProto;
}  // namespace onnx

namespace loopglass::onnx {

using Symbols = std::map<std::string, std::int64_t>;  // what symbolic dimensions are bound to

// "float32[?x4]", "sequence(string)", "optional(float32)", "bfloat16[2]"; "unknown" where nothing
// is declared. An extent that is neither given nor bound is a question mark, or its symbol.
std::string declared_text(const ::onnx::TypeProto& type, const Symbols& symbols);
std::string declared_text(const ::onnx::TensorProto& tensor);
// The tensor type that is declared, or TensorType::unknown with the text of what is.
TensorType tensor_type(const ::onnx::TypeProto& type, const Symbols& symbols);

void fill_type(const TensorType& type, ::onnx::TypeProto& proto);
// What is open in `type`, wholly or in an extent, as `other` has it.
void complete(::onnx::TypeProto& type, const ::onnx::TypeProto& other, const Symbols& symbols);

}  // namespace loopglass::onnx
