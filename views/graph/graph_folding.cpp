#include "views/graph/graph_folding.h"

namespace loopglass::views {

std::string_view key_of(FoldedBy by) {
  return by == FoldedBy::Blocks ? "blocks" : by == FoldedBy::Names ? "names" : "";
}

FoldedBy folded_by(std::string_view key) {
  return key == "blocks" ? FoldedBy::Blocks : key == "names" ? FoldedBy::Names : FoldedBy::No;
}

std::shared_ptr<const graph::Folding> fold_graph(const graph::Graph& graph, FoldedBy by,
                                                 const GroupsOfGraph& kernels) {
  if (by == FoldedBy::No && !kernels.plan) return nullptr;
  const graph::Parts parts{
      [&](const graph::Node& node) {
        const fusion::GroupId group = kernels.group_of(node);
        return group.valid() ? static_cast<int>(group.value) : -1;
      },
      [&](int part) {
        const fusion::Group& group = kernels.plan->group(fusion::GroupId{static_cast<std::uint32_t>(part)});
        const graph::Node* anchor = graph.find(group.anchor);
        return anchor ? anchor->name : group.name;
      }};
  graph::Folding folding =
      graph::fold(graph, by == FoldedBy::Names ? graph::FoldBy::Names : graph::FoldBy::Blocks,
                  kernels.plan ? &parts : nullptr);
  if (by == FoldedBy::No) {  // kernels, and nothing around them
    folding.folds.clear();
    folding.innermost.assign(folding.items.size(), -1);
  }
  return std::make_shared<const graph::Folding>(std::move(folding));
}

}  // namespace loopglass::views
