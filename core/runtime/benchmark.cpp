#include "core/runtime/benchmark.h"

#include <algorithm>
#include <map>

namespace loopglass::runtime {
namespace {

KernelTiming timing_of(const CompiledNetwork& network, std::size_t k, const Statistics& time) {
  const KernelInstance& kernel = network.kernels[k];
  KernelTiming timing{kernel.group, kernel.name, time, kernel.flops,
                      distinct_bytes(kernel, *network.graph)};
  timing.missing = kernel.missing;
  timing.is_view = kernel.is_view();
  if (const double seconds = time.median_ms * 1e-3; seconds > 0) {
    timing.gflops = static_cast<double>(timing.flops) / seconds * 1e-9;
    timing.gigabytes_per_second = static_cast<double>(timing.bytes) / seconds * 1e-9;
  }
  return timing;
}

}  // namespace

// Of parts of a result, only what is written.
std::int64_t distinct_bytes(const KernelInstance& kernel, const graph::Graph& graph) {
  std::map<graph::ValueId, std::int64_t> distinct;
  for (std::size_t a = 0; a < kernel.use.arguments.size(); ++a) {
    const graph::ValueId id = kernel.use.arguments[a];
    const loop::Buffer& parameter = kernel.use.parameters[a];
    const std::int64_t whole = graph.value(id).type.bytes();
    if (parameter.role != loop::Role::Output) distinct[id] = whole;
    else
      distinct[id] = std::min(
          whole, distinct[id] + TensorType{parameter.type, te::concrete(parameter.shape)}.bytes());
  }
  std::int64_t bytes = 0;
  for (const auto& [id, count] : distinct) bytes += count;
  return bytes;
}

Result<void> check(const BenchmarkOptions& options) {
  if (options.threads < 1 || options.rounds < 1)
    return fail(Code::UsageInvalid, "a benchmark needs at least one thread and one round");
  return {};
}

TurnOptions turns_of(const BenchmarkOptions& options) {
  TurnOptions turns{options.warm_up, options.rounds, {}, options.cancellation};
  turns.is_enough = [enough = options.enough] { return enough.requested(); };
  if (options.on_round)
    turns.on_round = [tell = options.on_round](int round, std::span<const double> milliseconds) {
      tell(round, milliseconds[0]);
    };
  return turns;
}

BenchmarkReport report_of(const CompiledNetwork& network, const TurnTimes& times) {
  BenchmarkReport report;
  report.threads = times.threads;
  report.shortage = times.shortage;
  report.load = times.load;
  const NetworkTimes& own = times.networks.at(0);
  report.network = own.network;
  report.fresh_outputs = own.fresh_outputs;
  for (std::size_t k = 0; k < network.kernels.size(); ++k) {
    report.kernels.push_back(timing_of(network, k, own.kernels.at(k)));
    report.flops += report.kernels.back().flops;
  }
  report.arena_bytes = network.plan->arena_bytes;
  report.arena_lower_bound = network.plan->lower_bound;
  report.output_bytes = network.plan->output_bytes;
  return report;
}

Result<BenchmarkReport> benchmark(Executor& executor, const BenchmarkOptions& options) {
  TRY_VOID(check(options));
  ThreadPool pool(options.threads);
  const std::vector<Contestant> alone{
      {&executor.loaded(), random_inputs(executor.graph(), options.inputs)}};
  return report_of(executor.network(), TRY(time_in_turns(alone, pool, turns_of(options))));
}

}  // namespace loopglass::runtime
