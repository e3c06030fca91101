// Attributes of ONNX nodes as ours, and constants that ONNX passes as inputs as attributes.
#pragma once

#include "core/onnx/tensor_reader.h"
#include "core/ops/op_def.h"

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace loopglass::onnx {

// nullptr: the node has none of that name.
const ::onnx::AttributeProto* find_attribute(const ::onnx::NodeProto& node, std::string_view name);

// AttributeUnsupported for subgraphs, types and the like, naming the attribute.
Result<ops::AttributeValue> attribute_value(const ::onnx::AttributeProto& proto,
                                            TensorReader& reader);
Result<ops::Attributes> node_attributes(const ::onnx::NodeProto& node, TensorReader& reader);

// What a bound input holds, in the form the operator declares for that attribute.
Result<ops::AttributeValue> bound_value(const ops::OpDef& op, const std::string& attribute,
                                        const Tensor& constant);

}  // namespace loopglass::onnx
