// How far opaque operators reach.
#pragma once

#include "core/graph/graph.h"

#include <string>
#include <unordered_map>

namespace loopglass::graph {

// Values that opaque operators make, and all that follows from those: they cannot be computed here.
// Each with the opaque operator that comes first in the graph's order.
std::unordered_map<ValueId, NodeId> opaque_reach(const Graph& graph);

// A sentence for who runs the graph all the same, on random numbers in the place of what opaque
// operators would give: it names them, the first three. Empty where there are none.
std::string note_on_stand_ins(const Graph& graph);

}  // namespace loopglass::graph
