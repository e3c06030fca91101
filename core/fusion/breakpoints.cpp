#include "core/fusion/breakpoints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <algorithm>
#include <set>

namespace loopglass::fusion {

namespace {

std::string sentence(const Group& group, const graph::Node& node, const graph::Graph& graph) {
  constexpr std::size_t shown = 4;
  std::vector<std::string> others;
  for (const graph::NodeId other : group.nodes)
    if (other != node.id) others.push_back(graph.node(other).name);
  const std::size_t all = others.size();
  others.resize(std::min(all, shown));
  if (all > shown) others.push_back(fmt::format("{} more", all - shown));
  return fmt::format("{} ({}) goes into the kernel {} with {}", node.name, operator_name(node),
                     group.name, fmt::join(others, ", "));
}

}  // namespace

std::vector<FuseHit> fuse_hits(const Plan& plan, const graph::Graph& graph,
                               const std::vector<pass::Breakpoint>& breakpoints,
                               const pass::NodeHistory* nodes) {
  std::vector<FuseHit> hits;
  std::vector<std::set<graph::NodeId>> watched(breakpoints.size());
  for (std::size_t i = 0; i < breakpoints.size(); ++i) {
    if (!breakpoints[i].is_watchpoint()) continue;
    if (nodes != nullptr) {
      for (const graph::NodeId id : pass::watched(*nodes, breakpoints[i].node))
        watched[i].insert(id);
    } else if (const graph::Node* node = graph.find_node(breakpoints[i].node)) {
      watched[i].insert(node->id);
    }
  }
  const auto aims_at = [&](std::size_t i, const graph::Node& node) {
    return breakpoints[i].is_watchpoint() ? watched[i].contains(node.id)
                                          : graph::matches(breakpoints[i].filter, graph, node);
  };
  for (const Group& group : plan.groups) {
    if (group.nodes.size() < 2) continue;
    for (const graph::NodeId id : group.nodes)
      for (std::size_t i = 0; i < breakpoints.size(); ++i) {
        const pass::Breakpoint& breakpoint = breakpoints[i];
        const bool wanted =
            breakpoint.event == pass::BreakEvent::Fuse || breakpoint.event == pass::BreakEvent::Any;
        // Fusion is no graph pass: a breakpoint on one of those is not about it.
        if (!breakpoint.enabled || !wanted || !breakpoint.pass.empty() ||
            !aims_at(i, graph.node(id)))
          continue;
        hits.push_back({i, id, group.id, sentence(group, graph.node(id), graph)});
      }
  }
  return hits;
}

}  // namespace loopglass::fusion
