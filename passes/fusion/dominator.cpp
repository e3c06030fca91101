#include "passes/fusion/dominator.h"

#include "core/fusion/decide.h"
#include "core/fusion/partition.h"
#include "passes/fusion/dominator_phases.h"

namespace loopglass::passes {

Result<fusion::Plan> fuse_by_dominators(const graph::Graph& graph,
                                        const fusion::PlanOptions& options) {
  const fusion::BlockRules rules(graph, {.operators = DominatorPhases::maximum_depth});
  std::vector<fusion::PlanEvent> events;
  std::vector<fusion::PlanEvent>* const recorded = options.record_events ? &events : nullptr;
  if (recorded) events = fusion::tell_forced(graph, options.constraints.forced);
  const DominatorGraph dominators(rules, recorded);
  DominatorGroups groups(dominators, rules, options.constraints);
  TRY_VOID(groups.force());
  DominatorPhases rounds(dominators, groups, recorded);
  rounds.begin_with(options.constraints.forced);
  for (int phase = 0; phase < DominatorPhases::phases; ++phase) {
    if (options.cancellation.requested()) return fail(Code::Cancelled, "fusion was cancelled");
    rounds.run(phase);
  }
  std::vector<std::size_t> part(graph.nodes().size());
  for (std::size_t position = 0; position < part.size(); ++position)
    part[position] = groups.root(dominators.vertex_of(position));
  fusion::Plan plan = TRY(fusion::plan_of_partition(graph, "dominator", part, rules.kinds()));
  plan.events = std::move(events);
  const auto why_not = [&](const fusion::Edge& edge) {
    const std::size_t consumer = graph.position(edge.consumer),
                      tuple = dominators.tuple_of(consumer);
    return rounds.why_not(dominators.vertex_of(edge.producer),
                          tuple != DominatorGraph::none ? tuple : dominators.vertex_of(consumer));
  };
  fusion::record_decisions(plan, graph, options, why_not, [&](const fusion::Edge& edge) {
    return rounds.why(dominators.vertex_of(edge.producer), dominators.vertex_of(edge.consumer));
  });
  return plan;
}

}  // namespace loopglass::passes
