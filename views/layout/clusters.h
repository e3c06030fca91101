// Which clusters of a graph can be drawn as one rectangle.
#pragma once

#include "views/layout/layout.h"

namespace loopglass::layout {

// True for clusters that the rest of the graph runs through: out of the cluster and back in,
// directly or by way of other clusters. No rectangle holds their members and nothing else.
std::vector<bool> interleaved_clusters(const LayoutGraph& graph);

}  // namespace loopglass::layout
