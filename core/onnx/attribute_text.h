// An attribute of a node as a line of text, whatever it is and however long.
#pragma once

#include <string>

namespace onnx {
class AttributeProto;
}

namespace loopglass::onnx {

// axis = 1, mode = "linear", sizes = [1, 2, ...], value = float32[3x4], body = graph "loop" of 5
// operators. What is long is cut short; data of tensors is not read.
std::string attribute_text(const ::onnx::AttributeProto& attribute);

}  // namespace loopglass::onnx
