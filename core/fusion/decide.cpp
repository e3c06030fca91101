#include "core/fusion/decide.h"

#include <fmt/format.h>

namespace loopglass::fusion {

void record_decisions(Plan& plan, const graph::Graph& graph, const PlanOptions& options,
                      const std::function<Refusal(const Edge&)>& why_not) {
  for (const graph::NodePtr& node : graph.nodes())
    for (const graph::ValueId value : node->outputs)
      for (const graph::Graph::Use& use : graph.uses(value)) {
        const Edge edge{node->id, use.node};
        Decision decision;
        decision.value = value;
        decision.producer = edge.producer;
        decision.consumer = edge.consumer;
        decision.fused = plan.group_of(edge.producer) == plan.group_of(edge.consumer);
        decision.forced = (decision.fused ? options.constraints.forced : options.constraints.forbidden).contains(edge);
        if (decision.fused) {
          decision.sentence = decision.forced ? "Both run in one kernel, as was asked for." : "Both run in one kernel.";
        } else if (decision.forced) {
          decision.reason = Reason::ForcedApart;
          decision.condition = "forbidden by hand";
          decision.sentence = fmt::format("{} and {} were asked to stay apart.", node->name, graph.node(use.node).name);
        } else {
          Refusal refusal = why_not(edge);
          decision.reason = refusal.reason;
          decision.condition = std::move(refusal.condition);
          decision.sentence = std::move(refusal.sentence);
          decision.numbers = std::move(refusal.numbers);
        }
        decision.numbers.emplace_back("bytes", static_cast<double>(graph.value(value).type.bytes()));
        plan.decisions.push_back(std::move(decision));
      }
}

}  // namespace loopglass::fusion
