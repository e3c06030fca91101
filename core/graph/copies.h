// Nodes that compute nothing.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::graph {

// Whether the node's result is its operand, element by element: Identity, Dropout at inference, a
// Cast to the type at hand.
bool is_copy(const Graph& graph, const Node& node);

}  // namespace loopglass::graph
