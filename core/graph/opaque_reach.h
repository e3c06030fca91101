// How far opaque operators reach.
#pragma once

#include "core/graph/graph.h"

#include <unordered_map>

namespace loopglass::graph {

// Values that opaque operators make, and all that follows from those: they cannot be computed here.
// Each with the opaque operator that comes first in the graph's order.
std::unordered_map<ValueId, NodeId> opaque_reach(const Graph& graph);

}  // namespace loopglass::graph
