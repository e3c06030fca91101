#include "core/fusion/compare.h"

#include "core/fusion/pieces.h"
#include "core/fusion/saving.h"
#include "core/graph/copies.h"

#include <algorithm>

namespace loopglass::fusion {

PlanSummary summarise(const BlockRules& rules, const Plan& plan, const CostModel& cost) {
  const graph::Graph& graph = rules.graph();
  PlanSummary summary{plan.strategy, plan.optimality};
  summary.kernels = plan.groups.size();
  Traffic moved;
  std::vector<Nodes> kernels;
  for (const Group& group : plan.groups) {
    summary.operators += group.nodes.size();
    const Nodes& nodes = kernels.emplace_back(positions(graph, group));
    moved += traffic(rules, nodes);
    const Cost kernel = cost.cost(rules, nodes);
    summary.estimated_microseconds += kernel.total;
    summary.measured_kernels += kernel.measured ? 1 : 0;
    summary.costs.push_back(kernel);
  }
  summary.written_bytes = moved.written;
  summary.read_bytes = moved.read;
  summary.workspace_bytes = moved.kept;
  summary.never_written_bytes = never_written(rules, kernels);
  if (summary.kernels > 0)
    summary.fusion_rate =
        static_cast<double>(summary.operators) / static_cast<double>(summary.kernels);
  return summary;
}

std::vector<EdgeDifference> differing_edges(const graph::Graph& graph,
                                            const std::vector<const Plan*>& plans) {
  std::map<Edge, std::vector<const Decision*>> decisions;
  for (std::size_t i = 0; i < plans.size(); ++i)
    for (const Decision& decision : plans[i]->decisions) {
      auto& row = decisions[{decision.producer, decision.consumer}];
      if (row.size() == i) row.push_back(&decision);  // of several values between the two the first
    }
  std::vector<EdgeDifference> found;
  for (auto& [edge, row] : decisions)
    if (row.size() == plans.size() &&
        std::any_of(row.begin(), row.end(),
                    [&](const Decision* other) { return other->fused != row.front()->fused; }))
      found.push_back({edge, std::move(row)});
  const auto place = [&](const EdgeDifference& row) {
    return std::pair(graph.position(row.edge.producer), graph.position(row.edge.consumer));
  };
  std::sort(found.begin(), found.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return found;
}

PlanDifference difference(const Plan& before, const Plan& after) {
  const auto only_in = [](const Plan& plan, const Plan& other) {
    std::set<std::vector<graph::NodeId>> known;
    for (const Group& group : other.groups) known.insert(group.nodes);
    std::vector<GroupId> found;
    for (const Group& group : plan.groups)
      if (!known.contains(group.nodes)) found.push_back(group.id);
    return found;
  };
  return {only_in(before, after), only_in(after, before)};
}

}  // namespace loopglass::fusion
