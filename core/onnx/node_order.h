// The order of nodes in a file. The standard asks for a topological one; some converters append
// what they insert, and runtimes sort for themselves.
#pragma once

#include <string>

namespace onnx {
class GraphProto;
}

namespace loopglass::onnx {

// Moves each node, of this graph and of those inside its nodes, behind what it reads; otherwise
// they keep their order. Nodes that read one another in a circle stay where they are. Says which
// value of this graph was the first to be read before it was made; empty: all was in order.
std::string sort_nodes(::onnx::GraphProto& graph);

}  // namespace loopglass::onnx
