#include "passes/fusion/none.h"

#include "core/fusion/partition.h"

#include <numeric>

namespace loopglass::passes {

Result<fusion::Plan> fuse_nothing(const graph::Graph& graph) {
  std::vector<std::size_t> part(graph.nodes().size());
  std::iota(part.begin(), part.end(), 0);
  fusion::Plan plan = TRY(fusion::plan_of_partition(graph, "none", part, fusion::pattern_kinds(graph)));
  for (const graph::NodePtr& node : graph.nodes())
    for (const graph::ValueId output : node->outputs)
      for (const graph::Graph::Use& use : graph.uses(output)) {
        fusion::Decision decision;
        decision.value = output;
        decision.producer = node->id;
        decision.consumer = use.node;
        decision.reason = fusion::Reason::StrategyNone;
        decision.sentence = "This strategy fuses nothing.";
        plan.decisions.push_back(std::move(decision));
      }
  return plan;
}

}  // namespace loopglass::passes
