#include "views/graph/beside_costs.h"

#include "core/fusion/block.h"
#include "core/session.h"

#include <utility>

namespace loopglass::views {
namespace {

// The graph as it is: what passes make of the model has been made.
onnx::Model model_of(const onnx::Model& model, const graph::Graph& graph) {
  onnx::Model optimised = model;
  optimised.graph = graph;
  return optimised;
}

bool is_same(const fusion::Plan& a, const fusion::Plan& b) { return a.membership == b.membership; }

}  // namespace

FindCosts find_costs(const Document& document, const BesideSource& source, const BesidePlace& place,
                     const CostsAsked& asked) {
  return [toolchain = document.toolchain(), settings = document.settings(),
          cost_model = document.cost_model(), workers = document.workers(), source,
          graph = place.graph, asked](const JobContext& context) -> Result<PlaceCosts> {
    SessionOptions options;
    options.pipeline = "none";
    options.strategy = asked.plan->strategy;
    options.settings = settings;
    options.workers = workers;
    Session session(toolchain, std::move(options));
    session.open(model_of(*source.model, *graph), source.model->graph.name());
    session.set_cost_model(cost_model);
    session.set_constraints(source.asked.constraints);
    if (!source.asked.edits.edits.empty())
      session.set_fusion_edits(std::make_shared<const fusion::EditScript>(source.asked.edits));
    const auto plan = TRY(session.plan());
    if (!is_same(*plan, *asked.plan))
      return fail(Code::UsageInvalid, "the search for the plan ended with another one this time");
    PlaceCosts costs;
    if (asked.memory) {
      costs.memory = TRY(session.memory_plan(context.progress, context.cancellation));
      return costs;
    }
    runtime::BenchmarkOptions benchmark;
    benchmark.threads = asked.threads;
    benchmark.cancellation = context.cancellation;
    costs.timings = std::make_shared<const runtime::BenchmarkReport>(
        TRY(session.benchmark(benchmark, context.progress)));
    if (cost_model->is_calibrated())
      costs.estimates = fusion::summarise(fusion::BlockRules(*graph), *plan, *cost_model);
    return costs;
  };
}

}  // namespace loopglass::views
