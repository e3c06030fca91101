#include "core/graph/opaque_reach.h"

namespace loopglass::graph {

std::unordered_map<ValueId, NodeId> opaque_reach(const Graph& graph) {
  std::unordered_map<ValueId, NodeId> reached;
  for (const NodePtr& node : graph.nodes()) {
    NodeId culprit = is_opaque(*node) ? node->id : NodeId{};
    for (const ValueId input : node->inputs)
      if (const auto found = reached.find(input); found != reached.end())
        if (!culprit || graph.position(found->second) < graph.position(culprit))
          culprit = found->second;
    if (!culprit) continue;
    for (const ValueId output : node->outputs) reached.emplace(output, culprit);
  }
  return reached;
}

}  // namespace loopglass::graph
