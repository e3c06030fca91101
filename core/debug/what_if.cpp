#include "core/debug/what_if.h"

#include "core/debug/subgraph.h"
#include "core/measure/networks.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::debug {

namespace {

// Plans the graph as it is: no passes. One session for all variants, so that kernels that they
// share are compiled once.
std::unique_ptr<Session> session_on(const Toolchain& toolchain, const graph::Graph& graph,
                                    const WhatIfOptions& options) {
  SessionOptions session_options;
  session_options.compile_threads = std::max(options.threads, runtime::hardware_threads());
  auto session =
      std::make_unique<Session>(without_graph_passes(toolchain), std::move(session_options));
  session->open(model_of(graph), graph.name());
  session->set_cost_model(options.cost);
  session->set_schedules(options.schedules);
  return session;
}

void configure(Session& session, const PlanVariant& variant) {
  session.set_strategy(variant.strategy);
  session.set_constraints(variant.constraints);
  session.set_fusion_edits(variant.edits);
}

Result<void> measure(Session& session, const graph::Graph& graph,
                     const std::vector<PlanVariant>& variants, const WhatIfOptions& options,
                     std::vector<PlanOutcome>& outcomes) {
  const std::vector<Tensor> inputs =
      TRY(in_order(options.inputs ? *options.inputs : random_inputs(graph, 1), graph));
  std::vector<std::shared_ptr<const runtime::CompiledNetwork>> networks;
  measure::NetworksAsked asked{
      {}, {}, options.threads, in_turns(options.rounds, options.warm_up, options.control), {}};
  asked.options.want_outputs = true;
  const auto rounds = std::make_shared<std::vector<std::vector<double>>>(variants.size());
  asked.options.on_round = [&, tell = asked.options.on_round](int round,
                                                              std::span<const double> times) {
    for (std::size_t i = 0; i < rounds->size(); ++i) (*rounds)[i].push_back(times[i]);
    tell(round, times);
  };
  for (const PlanVariant& variant : variants) {
    configure(session, variant);
    networks.push_back(TRY(session.network(options.control.progress, options.control.cancellation,
                                           Missing::TimeOthers)));
    asked.networks.push_back(networks.back().get());
    asked.inputs.push_back(inputs);
  }
  const runtime::TurnTimes times = TRY(measure::time_networks(asked, options.workers.get()));
  const std::vector<Tensor>& expected = times.networks.front().outputs;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    outcomes[i].agrees =
        std::ranges::equal(expected, times.networks[i].outputs, [&](const auto& a, const auto& b) {
          const Difference found = difference(a, b, options.tolerance);
          return found.comparable && !found.diverges;
        });
    outcomes[i].time = times.networks[i].network;
    outcomes[i].rounds = rounds;
    outcomes[i].place = i;
    outcomes[i].load = times.load;
    outcomes[i].threads = times.threads;
  }
  return {};
}

}  // namespace

std::optional<runtime::TimesInTurns> times_in_turns(const PlanOutcome& before,
                                                    const PlanOutcome& after) {
  if (!before.rounds || before.rounds != after.rounds) return std::nullopt;
  return runtime::times_in_turns((*before.rounds)[before.place], (*after.rounds)[after.place]);
}

Result<std::vector<PlanOutcome>> what_if(const Toolchain& toolchain,
                                         std::shared_ptr<const graph::Graph> graph,
                                         const std::vector<PlanVariant>& variants,
                                         const WhatIfOptions& options) {
  if (options.threads < 1 || (options.measure && options.rounds < 1))
    return fail(Code::UsageInvalid, "a comparison needs at least one thread and one round");
  const auto session = session_on(toolchain, *graph, options);
  const fusion::BlockRules rules(*graph);
  const auto cost = session->cost_model();
  std::vector<PlanOutcome> outcomes;
  for (const PlanVariant& variant : variants) {
    configure(*session, variant);
    PlanOutcome outcome{TRY(session->plan()), {}, {}};
    outcome.summary = fusion::summarise(rules, *outcome.plan, *cost);
    outcomes.push_back(std::move(outcome));
  }
  if (options.measure) TRY_VOID(measure(*session, *graph, variants, options, outcomes));
  return outcomes;
}

}  // namespace loopglass::debug
