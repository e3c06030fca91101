// What a network and its kernels take, and what that amounts to.
#pragma once

#include "core/runtime/executor.h"
#include "core/runtime/turns.h"

namespace loopglass::runtime {

struct KernelTiming {
  fusion::GroupId group;
  std::string name;
  Statistics time;
  std::int64_t flops = 0, bytes = 0;  // of one run; bytes = distinct arguments read and written
  double gflops = 0, gigabytes_per_second = 0;  // at the median
  bool is_view = false;                         // not run: its results lie ready
  // Not run, for there is none: the others were timed on random numbers in the place of its
  // results.
  std::optional<Diagnostic> missing = {};
  friend bool operator==(const KernelTiming&, const KernelTiming&) = default;
};
struct BenchmarkReport {
  int threads = 1;           // that it ran on
  std::string shortage;      // why they are fewer than were asked for; empty: they are as many
  Statistics network;        // writing into outputs that are kept from round to round
  Statistics fresh_outputs;  // taking new ones each time: what a caller who does so pays besides
  std::vector<KernelTiming> kernels;
  std::int64_t flops = 0, arena_bytes = 0, arena_lower_bound = 0, output_bytes = 0;
  std::optional<MachineLoad> load = {};  // while it was timed; nothing: not known
  friend bool operator==(const BenchmarkReport&, const BenchmarkReport&) = default;
};
struct BenchmarkOptions {
  int threads = 1;
  int warm_up = 2;
  int rounds = 10;
  std::map<std::string, Tensor> inputs = {};  // of the network, by name; the others are random
  // After each round, with that round's whole-network milliseconds: for live charts.
  std::function<void(int round, double milliseconds)> on_round;
  Cancellation cancellation;
  Cancellation enough = {};  // ends it, too, but after a round: what was measured stays
};
// UsageInvalid.
Result<void> check(const BenchmarkOptions& options);
TurnOptions turns_of(const BenchmarkOptions& options);

// `times`: of this network alone.
BenchmarkReport report_of(const CompiledNetwork& network, const TurnTimes& times);
// In this process.
Result<BenchmarkReport> benchmark(Executor& executor, const BenchmarkOptions& options);

// Distinct arguments that a kernel reads and writes in one run.
std::int64_t distinct_bytes(const KernelInstance& kernel, const graph::Graph& graph);

}  // namespace loopglass::runtime
