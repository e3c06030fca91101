// Which operators may stand for each other.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::graph {

// The same for nodes with the same operator, attributes and types of operands and results, of
// whatever values: a hash.
std::uint64_t likeness(const Graph& graph, const Node& node);

}  // namespace loopglass::graph
