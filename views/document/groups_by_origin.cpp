#include "views/document/groups_by_origin.h"

namespace loopglass::views {

GroupsByOrigin groups_by_origin(const fusion::BlockRules& rules, const fusion::Plan& plan) {
  std::unordered_map<std::uint32_t, std::pair<std::int64_t, fusion::GroupId>> best;
  const graph::Graph& graph = rules.graph();
  for (const fusion::Group& group : plan.groups)
    for (const graph::NodeId id : group.nodes) {
      const std::int64_t flops = rules.flops(graph.position(id));
      for (const std::uint32_t source : graph.node(id).origin.sources) {
        const auto [known, fresh] = best.try_emplace(source, flops, group.id);
        if (!fresh && flops > known->second.first) known->second = {flops, group.id};
      }
    }
  GroupsByOrigin groups;
  for (const auto& [source, entry] : best) groups.emplace(source, entry.second);
  return groups;
}

fusion::GroupId group_of(const graph::Node& node, const fusion::Plan& plan,
                         const GroupsByOrigin& by_origin) {
  if (const auto member = plan.membership.find(node.id); member != plan.membership.end())
    return member->second;
  for (const std::uint32_t source : node.origin.sources)
    if (const auto group = by_origin.find(source); group != by_origin.end()) return group->second;
  return {};
}

}  // namespace loopglass::views
