#include "passes/fusion/none.h"

#include "core/fusion/decide.h"
#include "core/fusion/partition.h"
#include "core/fusion/partition_builder.h"

namespace loopglass::passes {

Result<fusion::Plan> fuse_nothing(const graph::Graph& graph, const fusion::PlanOptions& options) {
  const fusion::BlockRules rules(graph);
  fusion::PartitionBuilder partition(rules);
  TRY_VOID(partition.force(options.constraints));
  fusion::Plan plan =
      TRY(fusion::plan_of_partition(graph, "none", partition.blocks(), rules.kinds()));
  if (options.record_events) plan.events = fusion::tell_forced(graph, options.constraints.forced);
  fusion::record_decisions(plan, graph, options, [](const fusion::Edge&) {
    return fusion::Refusal{fusion::Reason::StrategyNone,
                           "strategy = none, must be one that fuses",
                           "This strategy fuses nothing.",
                           {}};
  });
  return plan;
}

}  // namespace loopglass::passes
