#include "core/fusion/forced.h"

#include "core/fusion/partition.h"
#include "core/fusion/partition_builder.h"

#include <fmt/format.h>

namespace loopglass::fusion {

namespace {

class ForcedPlan {
 public:
  ForcedPlan(const graph::Graph& graph, const PlanOptions& options, Plan base)
      : graph_(graph), options_(options), base_(std::move(base)), rules_(graph) {}

  // Nothing: the kernels of the base cannot be joined.
  Result<std::optional<Plan>> operator()() {
    std::vector<std::size_t> part;
    for (const graph::NodePtr& node : graph_.nodes())
      part.push_back(base_.group_of(node->id).value);
    PartitionBuilder partition(rules_, part);
    if (!partition.force(options_.constraints)) return std::nullopt;
    Plan plan = TRY(plan_of_partition(graph_, base_.strategy, partition.blocks(), rules_.kinds()));
    if (plan.groups.size() == base_.groups.size()) plan.optimality = base_.optimality;
    plan.events = std::move(base_.events);
    plan.decisions = std::move(base_.decisions);
    for (Decision& decision : plan.decisions) judge(decision, plan);
    if (options_.record_events)
      for (const Edge& edge : options_.constraints.forced) tell(edge, plan);
    return plan;
  }

 private:
  const std::string& name(graph::NodeId id) const { return graph_.node(id).name; }

  // What the strategy had apart is in one kernel now, or is judged as before.
  void judge(Decision& decision, const Plan& plan) const {
    const bool asked = options_.constraints.forced.contains({decision.producer, decision.consumer});
    const bool was_fused = decision.fused;
    decision.fused = plan.group_of(decision.producer) == plan.group_of(decision.consumer);
    if (!decision.fused || (was_fused && !asked)) return;
    decision.forced = asked;
    if (was_fused) {
      decision.sentence += " That was asked for as well.";
      return;
    }
    decision.sentence =
        asked ? fmt::format(
                    "Both run in one kernel, as was asked for; by itself the strategy "
                    "would not have fused them ({}).",
                    fusion::name(decision.reason))
              : "Both run in one kernel, for their kernels were joined by a forced edge.";
    decision.condition = asked ? "forced by hand = yes" : "joined by a forced edge = yes";
    decision.reason = Reason::Fused;
    std::erase_if(decision.numbers, [](const auto& number) { return number.first != "bytes"; });
  }

  void tell(const Edge& edge, Plan& plan) const {
    plan.events.push_back({PlanEvent::Kind::Merge,
                           {edge.producer, edge.consumer},
                           Reason::Fused,
                           fmt::format("As was asked for, {} and {} share a kernel.",
                                       name(edge.producer), name(edge.consumer)),
                           {}});
  }

  const graph::Graph& graph_;
  const PlanOptions& options_;
  Plan base_;
  BlockRules rules_;
};

}  // namespace

MakePlan forcing_last(MakePlan plan) {
  return [plan = std::move(plan)](const graph::Graph& graph,
                                  const PlanOptions& options) -> Result<Plan> {
    if (options.constraints.forced.empty()) return plan(graph, options);
    PlanOptions free = options;
    free.constraints.forced.clear();
    if (auto forced = TRY(ForcedPlan(graph, options, TRY(plan(graph, free)))()))
      return *std::move(forced);
    return plan(graph, options);
  };
}

}  // namespace loopglass::fusion
