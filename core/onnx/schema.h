// What the ONNX library's own operator schemas say: whether a node is well-formed, and what an
// operator is made of where the standard defines it by others.
#pragma once

#include "core/graph/graph.h"

#include <memory>
#include <span>

namespace onnx {
class FunctionProto;
class NodeProto;
}  // namespace onnx

namespace loopglass::onnx {

// OperatorMisused when the counts of inputs and outputs, a missing attribute or an attribute's kind
// break the schema. Operators and versions the library does not know pass.
Result<void> check_schema(const ::onnx::NodeProto& node, const std::string& domain, int opset);

// The operator's definition by other operators, attributes bound to the node's values or defaults;
// null where the standard has none. `input_types` as for infer.
std::shared_ptr<const ::onnx::FunctionProto> standard_function(const ::onnx::NodeProto& node, const std::string& domain, int opset,
                                                               std::span<const TensorType* const> input_types);

// Replaces the references to the function's attributes in its body by the values `call` gives;
// attributes without a value are left out.
void bind_attributes(::onnx::NodeProto& body_node, const ::onnx::NodeProto& call);

}  // namespace loopglass::onnx
