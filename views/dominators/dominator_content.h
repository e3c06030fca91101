// A dominator tree in the words of the canvas: a box for the virtual root, then one per operator.
#pragma once

#include "core/graph/dominators.h"
#include "views/canvas/content.h"

#include <unordered_map>

namespace loopglass::views {

struct DominatorContent {
  CanvasContent canvas;
  std::vector<graph::NodeId> nodes;  // by box; invalid: the virtual root
  std::unordered_map<graph::NodeId, std::uint32_t> box_of_node;
  std::vector<int> edge_into;  // by box; -1: the root
};
DominatorContent make_dominator_content(const graph::Graph& graph,
                                        const graph::DominatorTree& tree);

}  // namespace loopglass::views
