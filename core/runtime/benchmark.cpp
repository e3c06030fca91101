#include "core/runtime/benchmark.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace loopglass::runtime {
namespace {

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
    else distinct[id] = std::min(whole, distinct[id] + TensorType{parameter.type, te::concrete(parameter.shape)}.bytes());
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

Result<BenchmarkReport> benchmark(Executor& executor, const BenchmarkOptions& options) {
  if (options.threads < 1 || options.rounds < 1)
    return fail(Code::UsageInvalid, "a benchmark needs at least one thread and one round");
  ThreadPool pool(options.threads);
  const graph::Graph& graph = executor.graph();
  std::vector<Tensor> inputs;
  for (graph::ValueId id : graph.inputs()) inputs.push_back(random_tensor(graph.value(id).type, inputs.size() + 1));

  // Every round runs the whole network, so a kernel is timed with the caches as its neighbours leave
  // them, and slow drifts of the machine fall on all kernels alike.
  std::vector<double> network;
  std::vector<std::vector<double>> kernels(executor.kernels().size());
  std::vector<std::int64_t> nanoseconds;
  for (int round = -options.warm_up; round < options.rounds; ++round) {
    if (options.cancellation.requested()) return fail(Code::Cancelled, "the benchmark was cancelled");
    auto start = std::chrono::steady_clock::now();
    TRY(executor.run_timed(inputs, pool, nanoseconds));
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
    if (round < 0) continue;
    network.push_back(elapsed.count());
    for (std::size_t k = 0; k < kernels.size(); ++k) kernels[k].push_back(static_cast<double>(nanoseconds[k]) * 1e-6);
    if (options.on_round) options.on_round(round, elapsed.count());
  }

  BenchmarkReport report;
  report.threads = options.threads;
  report.network = summarise(std::move(network));
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const KernelInstance& kernel = executor.kernels()[k];
    KernelTiming timing{kernel.group, kernel.name, summarise(std::move(kernels[k])), kernel.flops, distinct_bytes(kernel, graph)};
    timing.is_view = kernel.code == nullptr;
    double seconds = timing.time.median_ms * 1e-3;
    if (seconds > 0) {
      timing.gflops = static_cast<double>(timing.flops) / seconds * 1e-9;
      timing.gigabytes_per_second = static_cast<double>(timing.bytes) / seconds * 1e-9;
    }
    report.flops += timing.flops;
    report.kernels.push_back(std::move(timing));
  }
  report.arena_bytes = executor.memory_plan().arena_bytes;
  report.arena_lower_bound = executor.memory_plan().lower_bound;
  return report;
}

}  // namespace loopglass::runtime
