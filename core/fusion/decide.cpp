#include "core/fusion/decide.h"

#include "core/ops/opaque.h"

#include <fmt/format.h>

namespace loopglass::fusion {

namespace {

Refusal as_asked(const graph::Graph& graph, const Edge& edge, bool fused) {
  const std::string &producer = graph.node(edge.producer).name,
                    &consumer = graph.node(edge.consumer).name;
  if (fused)
    return {Reason::Fused, "forced by hand = yes", "Both run in one kernel, as was asked for.", {}};
  return {Reason::ForcedApart,
          "forbidden by hand = yes, must be no",
          fmt::format("{} and {} were asked not to be fused.", producer, consumer),
          {}};
}

// The end that is to blame: the producer, if both are opaque.
const graph::Node* opaque_end(const graph::Graph& graph, const Edge& edge) {
  for (const graph::NodeId id : {edge.producer, edge.consumer})
    if (is_opaque(graph.node(id))) return &graph.node(id);
  return nullptr;
}

}  // namespace

Refusal refuse_opaque(const graph::Node& opaque) {
  const Diagnostic reason = ops::opaque_reason(opaque.attributes);
  return {
      Reason::Opaque,
      fmt::format("known({}) = no ({}), must be yes", opaque.name, code_name(reason.code)),
      fmt::format("{} ({}) is not computed here, so it has no kernel that others could join: {}.",
                  opaque.name, operator_name(opaque), reason.what),
      {}};
}

void record_decisions(Plan& plan, const graph::Graph& graph, const PlanOptions& options,
                      const Why& why_not, const Why& why) {
  const Constraints& constraints = options.constraints;
  for (const graph::NodePtr& node : graph.nodes())
    for (const graph::ValueId value : node->outputs)
      for (std::set<graph::NodeId> seen; const graph::Graph::Use& use : graph.uses(value)) {
        if (!seen.insert(use.node).second) continue;  // Mul(x, x) reads x once
        const Edge edge{node->id, use.node};
        Decision decision;
        decision.value = value;
        decision.producer = edge.producer;
        decision.consumer = edge.consumer;
        decision.fused = plan.group_of(edge.producer) == plan.group_of(edge.consumer);
        decision.forced =
            (decision.fused ? constraints.forced : constraints.forbidden).contains(edge);
        Refusal verdict{Reason::Fused, {}, "Both run in one kernel.", {}};
        if (decision.forced) verdict = as_asked(graph, edge, decision.fused);
        else if (const graph::Node* end = opaque_end(graph, edge)) verdict = refuse_opaque(*end);
        else if (!decision.fused) verdict = why_not(edge);
        else if (why) verdict = why(edge);
        decision.reason = verdict.reason;
        decision.condition = std::move(verdict.condition);
        decision.sentence = std::move(verdict.sentence);
        decision.numbers = std::move(verdict.numbers);
        decision.numbers.emplace_back("bytes",
                                      static_cast<double>(graph.value(value).type.bytes()));
        plan.decisions.push_back(std::move(decision));
      }
}

std::vector<PlanEvent> tell_forced(const graph::Graph& graph, const std::set<Edge>& forced) {
  std::vector<PlanEvent> events;
  if (forced.empty()) return events;
  events.push_back({PlanEvent::Kind::Phase,
                    {},
                    Reason::Fused,
                    "Before the strategy's own rules: what was asked for by hand shares a kernel.",
                    {}});
  for (const Edge& edge : forced) {
    PlanEvent event{PlanEvent::Kind::Merge,
                    {edge.producer, edge.consumer},
                    Reason::Fused,
                    fmt::format("As was asked for, {} and {} share a kernel.",
                                graph.node(edge.producer).name, graph.node(edge.consumer).name),
                    {}};
    event.condition = "forced by hand = yes";
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace loopglass::fusion
