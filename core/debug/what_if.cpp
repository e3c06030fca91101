#include "core/debug/what_if.h"

#include "core/debug/subgraph.h"
#include "core/debug/turns.h"

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
  std::vector<Contestant> contestants;
  for (const PlanVariant& variant : variants) {
    configure(session, variant);
    contestants.push_back({TRY(session.executor(options.control.progress,
                                                options.control.cancellation, Missing::TimeOthers)),
                           inputs});
  }
  runtime::ThreadPool pool(options.threads);
  std::vector<Tensor> expected;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const std::vector<Tensor> actual = TRY(contestants[i].executor->run(inputs, pool));
    if (i == 0) expected = actual;
    outcomes[i].agrees = std::equal(expected.begin(), expected.end(), actual.begin(), actual.end(),
                                    [&](const Tensor& before, const Tensor& after) {
                                      const Difference found =
                                          difference(before, after, options.tolerance);
                                      return found.comparable && !found.diverges;
                                    });
  }
  const LoadMeter meter;
  const auto times =
      TRY(time_in_turns(contestants, pool, {options.rounds, options.warm_up, options.control}));
  const auto load = meter.read();
  for (std::size_t i = 0; i < times.size(); ++i) {
    outcomes[i].time = times[i];
    outcomes[i].load = load;
    outcomes[i].threads = pool.threads();
  }
  return {};
}

}  // namespace

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
