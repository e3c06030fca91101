#include "core/session_costs.h"

namespace loopglass {

Toolchain with_cost_model(Toolchain toolchain, std::shared_ptr<const fusion::CostModel> cost) {
  if (!cost) return toolchain;
  for (fusion::Strategy& strategy : toolchain.strategies)
    strategy.plan = [plan = std::move(strategy.plan), cost](const graph::Graph& graph,
                                                            const fusion::PlanOptions& options) {
      if (options.cost) return plan(graph, options);
      fusion::PlanOptions weighed = options;
      weighed.cost = cost;
      return plan(graph, weighed);
    };
  return toolchain;
}

}  // namespace loopglass
