#include "core/runtime/turns.h"
#include "core/support/statistics.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace loopglass::runtime {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

// A network and what its rounds took.
struct Timed {
  LoadedNetwork& network;
  const std::vector<Tensor>& inputs;
  std::vector<Tensor> outputs;
  std::vector<double> rounds;                // milliseconds
  std::vector<std::vector<double>> kernels;  // by kernel

  Result<double> run(ThreadPool& pool, bool counts) {
    const auto start = Clock::now();
    TRY_VOID(network.run_into(outputs, inputs, pool, &nanoseconds));
    double elapsed = milliseconds_since(start);
    // Putting random numbers in the place of results is no work of the network's.
    for (std::size_t k = 0; k < nanoseconds.size(); ++k)
      if (network.wiring().kernels[k].is_missing)
        elapsed -= static_cast<double>(std::exchange(nanoseconds[k], 0)) * 1e-6;
    if (!counts) return elapsed;
    rounds.push_back(elapsed);
    for (std::size_t k = 0; k < nanoseconds.size(); ++k)
      kernels[k].push_back(static_cast<double>(nanoseconds[k]) * 1e-6);
    return elapsed;
  }

  std::vector<std::int64_t> nanoseconds = {};
};

Result<Statistics> time_fresh_outputs(const LoadedNetwork& network, int rounds) {
  std::vector<double> times;
  for (int round = 0; round < rounds; ++round) {
    const auto start = Clock::now();
    TRY(network.allocate_outputs());
    times.push_back(milliseconds_since(start));
  }
  return summarise(std::move(times));
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

Result<TurnTimes> time_in_turns(std::span<const Contestant> contestants, ThreadPool& pool,
                                const TurnOptions& options) {
  std::vector<Timed> all;
  for (const auto& [network, inputs] : contestants) {
    std::vector<Tensor> outputs = TRY(network->allocate_outputs());
    std::vector<std::vector<double>> kernels(network->wiring().kernels.size());
    all.push_back({*network, inputs, std::move(outputs), {}, std::move(kernels)});
  }
  for (const Contestant& contestant : contestants)
    contestant.network->settle_memory([&] {
      return options.cancellation.requested() || (options.is_enough && options.is_enough());
    });
  TurnTimes times{pool.threads(), pool.shortage(), {}, {}};
  const LoadMeter meter(options.works_for);
  std::vector<double> round_times(all.size());
  for (int round = -options.warm_up; round < options.rounds; ++round) {
    if (options.cancellation.requested())
      return fail(Code::Cancelled, "the benchmark was cancelled");
    if (round > 0 && options.is_enough && options.is_enough()) break;
    // Whoever runs after another finds other things in the caches: the order turns around.
    for (std::size_t turn = 0; turn < all.size(); ++turn) {
      const std::size_t i = round % 2 == 0 ? turn : all.size() - 1 - turn;
      round_times[i] = TRY(all[i].run(pool, round >= 0));
    }
    if (round >= 0 && options.on_round) options.on_round(round, round_times);
  }
  times.load = meter.read();
  for (Timed& timed : all) {
    NetworkTimes& of_one = times.networks.emplace_back();
    of_one.network = summarise(std::move(timed.rounds));
    of_one.fresh_outputs = TRY(time_fresh_outputs(timed.network, std::min(options.rounds, 10)));
    for (std::vector<double>& kernel : timed.kernels)
      of_one.kernels.push_back(summarise(std::move(kernel)));
    if (options.want_outputs) of_one.outputs = std::move(timed.outputs);
  }
  return times;
}

}  // namespace loopglass::runtime
