// The verdicts of dynamic programming, in words: what each edge costs as it is, and otherwise.
#pragma once

#include "passes/fusion/edge_costs.h"
#include "passes/fusion/units.h"

namespace loopglass::passes {

class SearchVerdicts {
 public:
  // All are kept; the plan without decisions.
  SearchVerdicts(const fusion::BlockRules& rules, const Units& units, const fusion::CostModel& cost,
                 const fusion::Constraints& constraints, const fusion::Plan& plan)
      : graph_(rules.graph()),
        units_(units),
        model_(cost),
        costs_(rules, cost, constraints, plan) {}

  // Of an edge between two kernels.
  fusion::Refusal why_not(const fusion::Edge& edge);
  // Of an edge within a kernel.
  fusion::Refusal why(const fusion::Edge& edge) const;

 private:
  const graph::Graph& graph_;
  const Units& units_;
  const fusion::CostModel& model_;
  EdgeCosts costs_;
};

}  // namespace loopglass::passes
