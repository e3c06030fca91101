#include "views/document/first_kernel.h"

#include <algorithm>

namespace loopglass::views {

fusion::GroupId first_interesting_group(const fusion::Plan& plan, const graph::Graph& graph) {
  for (const fusion::Group& group : plan.groups) {
    const ops::Family family = graph.node(group.anchor).op->family;
    if (family == ops::Family::Convolution || family == ops::Family::MatrixProduct) return group.id;
  }
  for (const fusion::Group& group : plan.groups)
    if (!is_opaque(graph.node(group.anchor))) return group.id;
  return plan.groups.empty() ? fusion::GroupId{} : plan.groups.front().id;
}

fusion::GroupId first_group(const fusion::Plan& plan, const graph::Graph& graph,
                            const std::string& before) {
  const auto same = std::ranges::find(plan.groups, before, &fusion::Group::name);
  return same == plan.groups.end() ? first_interesting_group(plan, graph) : same->id;
}

}  // namespace loopglass::views
