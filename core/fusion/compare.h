// Plans of one graph beside one another: what they amount to, and where they differ.
#pragma once

#include "core/fusion/cost_model.h"

namespace loopglass::fusion {

struct PlanSummary {
  std::string strategy;
  Optimality optimality = Optimality::Heuristic;
  std::size_t operators = 0, kernels = 0;
  double fusion_rate = 1;  // operators / kernels
  // Of intermediates, through the arena and through kernels' workspaces (traffic.h).
  std::int64_t written_bytes = 0, read_bytes = 0, workspace_bytes = 0;
  std::int64_t never_written_bytes = 0;  // never_written() (saving.h)
  double estimated_microseconds = 0;     // of all kernels, by the cost model
  std::size_t measured_kernels = 0;      // of which it knows the time
  std::vector<Cost> costs = {};          // of the plan's groups, in their order
};
PlanSummary summarise(const BlockRules& rules, const Plan& plan, const CostModel& cost);

// An edge that some plans fuse and others do not. Decisions as the plans have them, in their order.
struct EdgeDifference {
  Edge edge;
  std::vector<const Decision*> decisions;
};
// As the edges run through the graph; each pair of operators once.
std::vector<EdgeDifference> differing_edges(const graph::Graph& graph,
                                            const std::vector<const Plan*>& plans);

// The groups that only one of two plans has, by what they hold.
struct PlanDifference {
  std::vector<GroupId> removed, added;  // of the earlier, of the later
  bool empty() const { return removed.empty() && added.empty(); }
};
PlanDifference difference(const Plan& before, const Plan& after);

}  // namespace loopglass::fusion
