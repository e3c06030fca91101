// Which constants of a graph hold the same.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::passes {

// The constants of which there are several with the same type and bytes, in id order, in groups.
// Reads all bytes only of constants that agree in type and in a sample: a network has hundreds of
// megabytes of weights, and hardly any of them twice.
std::vector<std::vector<graph::ValueId>> equal_constants(const graph::Graph& graph);

}  // namespace loopglass::passes
