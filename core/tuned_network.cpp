#include "core/tuned_network.h"

#include "core/loop/nameless_form.h"
#include "core/measure/networks.h"
#include "core/script/trace.h"
#include "core/support/stopwatch.h"
#include "core/tuning_task.h"

#include <map>

namespace loopglass {

namespace {

// Rounds and for how long, whichever is more; the machine's moods fall on both in a round.
constexpr int least_rounds = 20, most_rounds = 400;
constexpr double least_milliseconds = 4000;

// By the default schedules, and by what was found.
struct BothTimes {
  NetworkTimes network;
  std::map<std::string, double> untuned, tuned;  // of each workload in it, by medians
};

Result<BothTimes> time_both(const tune::NetworkTuning& tuning, const Session& session, int threads,
                            measure::WorkerPool& workers, const Cancellation& cancellation) {
  std::vector<std::unique_ptr<Session>> twins;
  std::vector<std::shared_ptr<const runtime::CompiledNetwork>> networks;
  measure::NetworksAsked asked;
  asked.threads = threads;
  asked.options.rounds = most_rounds;
  asked.options.cancellation = cancellation;
  std::vector<double> untuned, tuned;  // of each round
  asked.options.on_round = [&](int, std::span<const double> milliseconds) {
    untuned.push_back(milliseconds[0]);
    tuned.push_back(milliseconds[1]);
  };
  const Stopwatch begun;
  asked.options.is_enough = [&] {
    return untuned.size() >= least_rounds && begun.milliseconds() >= least_milliseconds;
  };
  for (const bool is_tuned : {false, true}) {
    twins.push_back(session.twin());
    for (const auto& each : tuning.tunings()) {
      std::optional<schedule::Trace> trace;
      if (is_tuned) trace = TRY(schedule::parse_script(each->best_trial().script));
      twins.back()->set_schedule(loop::nameless_form(each->task().nest), std::move(trace));
    }
    networks.push_back(TRY(twins.back()->network({}, cancellation, Missing::TimeOthers)));
    asked.networks.push_back(networks.back().get());
    asked.inputs.push_back(runtime::random_inputs(*networks.back()->graph));
  }
  const runtime::TurnTimes times = TRY(measure::time_networks(asked, &workers));
  BothTimes both{{times.networks[0].network, times.networks[1].network,
                  runtime::times_in_turns(untuned, tuned)},
                 {},
                 {}};
  const auto& kernels = networks[0]->kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const auto kernel = twins[0]->initial_kernel(kernels[k].group);
    if (!kernel || (*kernel)->is_view) continue;
    const std::string workload =
        tune::workload_of(tuning_task((*kernel)->nest, (*kernel)->program, kernels[k].name,
                                      session.toolchain().machine, threads));
    both.untuned[workload] += times.networks[0].kernels[k].median_ms;
    both.tuned[workload] += times.networks[1].kernels[k].median_ms;
  }
  return both;
}

bool is_slower(const NetworkTimes& network) { return network.turns.ratio > 1; }

}  // namespace

Result<NetworkTimes> keep_what_pays(
    const tune::NetworkTuning& tuning, const Session& session, int threads,
    measure::WorkerPool& workers,
    const std::function<Result<void>(const tune::Tuning&)>& on_withdrawal,
    const Cancellation& cancellation) {
  BothTimes both = TRY(time_both(tuning, session, threads, workers, cancellation));
  const auto withdraw = [&](const auto& which) -> Result<void> {
    for (const auto& each : tuning.tunings()) {
      if (each->best_trial().number == 0 || !which(tune::workload_of(each->task()))) continue;
      each->withdraw();
      TRY_VOID(on_withdrawal(*each));
    }
    return {};
  };
  if (is_slower(both.network)) {
    TRY_VOID(withdraw([&](const std::string& workload) {
      return both.tuned[workload] > both.untuned[workload];
    }));
    both = TRY(time_both(tuning, session, threads, workers, cancellation));
  }
  if (is_slower(both.network)) {
    TRY_VOID(withdraw([](const std::string&) { return true; }));
    both.network.tuned = both.network.untuned;
    both.network.turns = {};
  }
  return both.network;
}

}  // namespace loopglass
