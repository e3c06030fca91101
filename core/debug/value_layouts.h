// In which layout the values of a graph lie, where they do not lie as they are written: behind the
// passes that choose layouts.
#pragma once

#include "core/graph/graph.h"
#include "core/tensor/layout.h"

#include <map>

namespace loopglass::debug {

// Of results of transforms and of operators in other layouts, and of what works element by element
// or end to end on those. Values that are missing lie as they are written.
std::map<graph::ValueId, Layout> value_layouts(const graph::Graph& graph);

}  // namespace loopglass::debug
