// One node of ours as an ONNX node: its OnnxMapping read backwards, and the result checked by
// reading it forwards again.
#pragma once

#include "core/graph/graph.h"

namespace onnx {
class GraphProto;
class TensorProto;
}  // namespace onnx

namespace loopglass::onnx {

void fill_tensor(const Tensor& tensor, const std::string& name, ::onnx::TensorProto& proto);

// Adds the node, and initializers for attributes that this ONNX version passes as inputs.
// OpsetUnsupported when no mapping covers the version, AttributeUnsupported when none of them can
// say what the node's attributes say.
Result<void> export_node(const graph::Graph& graph, const graph::Node& node, int opset,
                         ::onnx::GraphProto& proto);

}  // namespace loopglass::onnx
