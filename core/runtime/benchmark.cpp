#include "core/runtime/benchmark.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

namespace loopglass::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// Linear interpolation between the two nearest order statistics.
double quantile(const std::vector<double>& sorted, double fraction) {
  double position = fraction * static_cast<double>(sorted.size() - 1);
  auto below = static_cast<std::size_t>(position);
  std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

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

}  // namespace

Statistics summarise(std::vector<double> milliseconds) {
  Statistics statistics;
  if (milliseconds.empty()) return statistics;
  std::sort(milliseconds.begin(), milliseconds.end());
  statistics.minimum_ms = milliseconds.front();
  statistics.lower_quartile_ms = quantile(milliseconds, 0.25);
  statistics.median_ms = quantile(milliseconds, 0.5);
  statistics.upper_quartile_ms = quantile(milliseconds, 0.75);
  statistics.rounds = static_cast<int>(milliseconds.size());
  return statistics;
}

namespace {

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Rounds {
  std::vector<double> network;               // milliseconds
  std::vector<std::vector<double>> kernels;  // by kernel
};

// Every round runs the whole network, so a kernel is timed with the caches as its neighbours leave
// them, and slow drifts of the machine fall on all kernels alike.
Result<Rounds> time_rounds(Executor& executor, const BenchmarkOptions& options,
                           BenchmarkReport& report) {
  ThreadPool pool(options.threads);
  report.threads = pool.threads();
  report.shortage = pool.shortage();
  const graph::Graph& graph = executor.graph();
  std::vector<Tensor> inputs, outputs = TRY(executor.allocate_outputs());
  for (graph::ValueId id : graph.inputs())
    inputs.push_back(random_tensor(graph.value(id).type, inputs.size() + 1));

  Rounds rounds{{}, std::vector<std::vector<double>>(executor.kernels().size())};
  std::vector<std::int64_t> nanoseconds;
  for (int round = -options.warm_up; round < options.rounds; ++round) {
    if (options.cancellation.requested())
      return fail(Code::Cancelled, "the benchmark was cancelled");
    const auto start = Clock::now();
    TRY_VOID(executor.run_into(outputs, inputs, pool, &nanoseconds));
    double elapsed = milliseconds_since(start);
    // Putting random numbers in the place of results is no work of the network's.
    for (std::size_t k = 0; k < nanoseconds.size(); ++k)
      if (executor.kernels()[k].missing)
        elapsed -= static_cast<double>(std::exchange(nanoseconds[k], 0)) * 1e-6;
    if (round < 0) continue;
    rounds.network.push_back(elapsed);
    for (std::size_t k = 0; k < nanoseconds.size(); ++k)
      rounds.kernels[k].push_back(static_cast<double>(nanoseconds[k]) * 1e-6);
    if (options.on_round) options.on_round(round, elapsed);
  }
  return rounds;
}

// Taking tensors for the outputs and giving them back: mostly the faults of their pages.
Result<Statistics> time_fresh_outputs(const Executor& executor, int rounds) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    TRY(executor.allocate_outputs());
    times.push_back(milliseconds_since(start));
  }
  return summarise(std::move(times));
}

KernelTiming timing_of(const Executor& executor, std::size_t k, const Statistics& time) {
  const KernelInstance& kernel = executor.kernels()[k];
  KernelTiming timing{kernel.group, kernel.name, time, kernel.flops,
                      distinct_bytes(kernel, executor.graph())};
  timing.missing = kernel.missing;
  timing.is_view = kernel.code == nullptr && !kernel.missing;
  if (const double seconds = time.median_ms * 1e-3; seconds > 0) {
    timing.gflops = static_cast<double>(timing.flops) / seconds * 1e-9;
    timing.gigabytes_per_second = static_cast<double>(timing.bytes) / seconds * 1e-9;
  }
  return timing;
}

}  // namespace

Result<BenchmarkReport> benchmark(Executor& executor, const BenchmarkOptions& options) {
  if (options.threads < 1 || options.rounds < 1)
    return fail(Code::UsageInvalid, "a benchmark needs at least one thread and one round");
  BenchmarkReport report;
  const LoadMeter meter;
  Rounds rounds = TRY(time_rounds(executor, options, report));
  report.load = meter.read();
  report.network = summarise(std::move(rounds.network));
  report.fresh_outputs = TRY(time_fresh_outputs(executor, std::min(options.rounds, 10)));
  for (std::size_t k = 0; k < executor.kernels().size(); ++k) {
    report.kernels.push_back(timing_of(executor, k, summarise(std::move(rounds.kernels[k]))));
    report.flops += report.kernels.back().flops;
  }
  report.arena_bytes = executor.memory_plan().arena_bytes;
  report.arena_lower_bound = executor.memory_plan().lower_bound;
  report.output_bytes = executor.memory_plan().output_bytes;
  return report;
}

}  // namespace loopglass::runtime
