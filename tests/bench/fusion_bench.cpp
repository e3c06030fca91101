// What each fusion strategy makes of the sample networks, in one run: operators and kernels of the same
// canonical graph, fusion rate, bytes of intermediates, and latency on one thread. Rounds of all
// strategies interleave, so that a slow minute of the machine falls on all of them.
//
//   fusion_bench [--rounds N] [--default-costs] [NETWORK...]
#include "app/common/calibration.h"
#include "core/loop/interpreter.h"
#include "passes/pipeline.h"
#include "samples/samples.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace loopglass {

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  int rounds = 15;
  bool default_costs = false;
  std::vector<std::string> networks;
};

struct Contender {
  std::string strategy;
  std::size_t operators = 0, kernels = 0;
  fusion::Optimality optimality = fusion::Optimality::Heuristic;
  std::int64_t intermediate_bytes = 0;
  double planning_ms = 0;
  std::unique_ptr<Session> session;
  std::shared_ptr<runtime::Executor> executor;
  std::vector<double> milliseconds;
};

double since(Clock::time_point begin) { return std::chrono::duration<double, std::milli>(Clock::now() - begin).count(); }

// Constants are no nodes; an identity computes nothing.
std::size_t operators_of(const graph::Graph& graph) {
  return static_cast<std::size_t>(std::count_if(graph.nodes().begin(), graph.nodes().end(), [](const graph::NodePtr& node) {
    return node->op->name != "Identity" && node->op->name != "Dropout";
  }));
}

Result<Contender> prepare(const samples::Sample& sample, const std::string& strategy, const Options& options) {
  SessionOptions session;
  session.import.evaluate = loop::evaluate;
  session.strategy = strategy;
  Contender contender{.strategy = strategy, .session = {}, .executor = {}, .milliseconds = {}};
  contender.session = std::make_unique<Session>(passes::toolchain(), std::move(session));
  if (!options.default_costs) contender.session->set_cost_model(app::host_cost_model());
  TRY_VOID(contender.session->open(TRY(samples::sample_path(sample))));
  const auto graph = TRY(contender.session->graph());
  const auto begin = Clock::now();
  const auto plan = TRY(contender.session->plan());
  contender.planning_ms = since(begin);
  contender.operators = operators_of(*graph);
  contender.kernels = plan->groups.size();
  contender.optimality = plan->optimality;
  contender.executor = TRY(contender.session->executor());
  contender.intermediate_bytes = contender.executor->memory_plan().separate_bytes;
  return contender;
}

Result<void> measure(const samples::Sample& sample, const Options& options) {
  std::vector<Contender> contenders;
  for (const char* strategy : {"dominator", "mapping", "dp", "none"})
    contenders.push_back(TRY(prepare(sample, strategy, options)));
  std::vector<Tensor> inputs;
  const graph::Graph& graph = contenders.front().executor->graph();
  for (const graph::ValueId id : graph.inputs()) inputs.push_back(runtime::random_tensor(graph.value(id).type, inputs.size() + 1));
  runtime::ThreadPool pool(1);
  constexpr int warm_up = 1;
  for (int round = -warm_up; round < options.rounds; ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      // Each comes first now and then.
      Contender& contender = contenders[(i + static_cast<std::size_t>(round + warm_up)) % contenders.size()];
      const auto begin = Clock::now();
      TRY(contender.executor->run(inputs, pool));
      if (round >= 0) contender.milliseconds.push_back(since(begin));
    }
  const runtime::Statistics reference = runtime::summarise(contenders.front().milliseconds);
  for (const Contender& contender : contenders) {
    const runtime::Statistics time = runtime::summarise(contender.milliseconds);
    fmt::print("{:<16} {:<10}{:>5} ops{:>5} kernels  rate {:5.2f} ({:+6.1f} %)  {:8.1f} MiB  {:9.3f} ms [{:.3f} {:.3f}]  x{:.3f}  "
               "planned in {:.0f} ms, {}\n",
               sample.name, contender.strategy, contender.operators, contender.kernels,
               static_cast<double>(contender.operators) / static_cast<double>(contender.kernels),
               100 * (static_cast<double>(contenders.front().kernels) / static_cast<double>(contender.kernels) - 1),
               static_cast<double>(contender.intermediate_bytes) / (1 << 20), time.median_ms, time.lower_quartile_ms,
               time.upper_quartile_ms, time.median_ms / reference.median_ms, contender.planning_ms,
               fusion::name(contender.optimality));
  }
  std::fflush(stdout);
  return {};
}

Options parse(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (argument == "--rounds" && i + 1 < count) options.rounds = std::max(1, std::atoi(arguments[++i]));
    else if (argument == "--default-costs") options.default_costs = true;
    else options.networks.push_back(argument);
  }
  if (options.networks.empty()) options.networks = {"vgg16", "efficientnet_b0", "mobilenet_v1", "yolov4", "encoder"};
  return options;
}

}  // namespace

}  // namespace loopglass

int main(int count, char** arguments) {
  using namespace loopglass;
  const Options options = parse(count, arguments);
  for (const std::string& name : options.networks) {
    const samples::Sample* sample = samples::find_sample(name);
    if (sample == nullptr) {
      fmt::print(stderr, "there is no sample named '{}'\n", name);
      return 2;
    }
    if (const auto done = measure(*sample, options); !done) fmt::print("{:<16} {}\n", name, to_string(done.error()));
  }
}
