// How long the graph passes take on large graphs: a random network of so many operators goes
// through a pipeline; one line a pass with the median over the runs, over all its applications.
//
//   pipeline_bench [--operators N] [--runs N] [PIPELINE]
#include "core/runtime/benchmark.h"
#include "core/support/stopwatch.h"
#include "passes/pipeline.h"
#include "tests/bench/bench_main.h"
#include "tests/random/random_network.h"

#include <algorithm>
#include <map>

namespace loopglass {
namespace {

struct Options {
  int operators = 10'000, runs = 5;
  std::string pipeline = passes::presets().front().name;
};

Result<void> measure(const Options& options) {
  const auto table = passes::graph_passes(reference_machine());
  std::vector<pass::PassInfo> infos;
  for (const pass::GraphPass& pass : table) infos.push_back(pass.info);
  const auto pipeline = TRY(pass::parse_pipeline(options.pipeline, infos, passes::presets()));
  const auto network = std::make_shared<const graph::Graph>(
      test::random_network(1, {.operators = options.operators, .type = DataType::Float32}));

  struct Cost {
    std::vector<double> milliseconds;
    std::size_t applications = 0, rewrites = 0;
  };
  std::vector<std::pair<std::string, Cost>> costs;
  std::vector<double> totals;
  std::size_t left = 0;
  for (int run = 0; run < options.runs; ++run) {
    const Stopwatch watch;
    const auto history = TRY(pass::run(network, table, pipeline));
    totals.push_back(watch.milliseconds());
    left = history.last().nodes().size();
    std::map<std::string, Cost> of_run;
    for (const auto& step : history.steps) {
      Cost& cost = of_run[step.pass.name];
      cost.milliseconds.resize(1);
      cost.milliseconds[0] += std::chrono::duration<double, std::milli>(step.duration).count();
      ++cost.applications;
      cost.rewrites += step.rewrites.size();
      if (run == 0 && std::none_of(costs.begin(), costs.end(),
                                   [&](const auto& c) { return c.first == step.pass.name; }))
        costs.emplace_back(step.pass.name, Cost{});
    }
    for (auto& [name, cost] : costs) {
      cost.milliseconds.push_back(of_run[name].milliseconds[0]);
      cost.applications = of_run[name].applications;
      cost.rewrites = of_run[name].rewrites;
    }
  }
  fmt::print("{} operators, {} after '{}'; median of {} runs\n", network->nodes().size(), left,
             options.pipeline, options.runs);
  fmt::print("{:<32}{:>8}{:>10}{:>12}\n", "pass", "times", "rewrites", "ms");
  for (const auto& [name, cost] : costs)
    fmt::print("{:<32}{:>8}{:>10}{:>12.2f}\n", name, cost.applications, cost.rewrites,
               runtime::summarise(cost.milliseconds).median_ms);
  fmt::print("{:<32}{:>8}{:>10}{:>12.2f}\n", "the whole pipeline, verified", "", "",
             runtime::summarise(totals).median_ms);
  return {};
}

void declare(CLI::App& app, Options& options) {
  app.add_option("--operators", options.operators)->check(CLI::PositiveNumber);
  app.add_option("--runs", options.runs)->check(CLI::PositiveNumber);
  app.add_option("pipeline", options.pipeline, "graph passes in order, or a preset");
}

}  // namespace
}  // namespace loopglass

int main(int count, char** arguments) {
  return loopglass::bench_main<loopglass::Options>(count, arguments,
                                                   "times the graph passes on a large graph",
                                                   loopglass::declare, loopglass::measure);
}
