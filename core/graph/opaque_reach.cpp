#include "core/graph/opaque_reach.h"

#include "core/support/first_names.h"

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

std::string note_on_stand_ins(const Graph& graph) {
  std::vector<std::string> names;
  for (const NodePtr& node : graph.nodes())
    if (is_opaque(*node)) names.push_back(node->name);
  if (names.empty()) return {};
  const bool one = names.size() == 1;
  return fmt::format(
      "{} not computed here ({}): what follows from {} rests on random numbers in the place of {} "
      "results",
      one ? "1 operator is" : fmt::format("{} operators are", names.size()), first_names(names),
      one ? "it" : "them", one ? "its" : "their");
}

}  // namespace loopglass::graph
