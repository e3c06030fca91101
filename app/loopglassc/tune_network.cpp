#include "app/loopglassc/tune_network.h"

#include "core/loop/nameless_form.h"
#include "core/measure/networks.h"
#include "core/script/trace.h"
#include "core/tuning_task.h"

#include <map>

namespace loopglass::app {

namespace {

// By the default schedules, and by what was found.
struct BothTimes {
  NetworkTimes network;
  std::map<std::string, double> untuned, tuned;  // of each workload in it, by medians
};

Result<BothTimes> time_both(const TuneReport& report, const ModelOptions& model,
                            measure::WorkerPool& workers, const Cancellation& cancellation) {
  std::vector<std::unique_ptr<Session>> sessions;
  std::vector<std::shared_ptr<const runtime::CompiledNetwork>> networks;
  measure::NetworksAsked asked;
  asked.threads = report.threads;
  asked.options.rounds = 20;
  asked.options.cancellation = cancellation;
  for (const bool tuned : {false, true}) {
    sessions.push_back(TRY(open_session(model)));
    if (tuned)
      for (const auto& each : report.tuning.tunings()) {
        schedule::Trace trace = TRY(schedule::parse_script(each->best_trial().script));
        sessions.back()->set_schedule({loop::nameless_form(each->task().nest), std::move(trace)});
      }
    networks.push_back(TRY(sessions.back()->network({}, cancellation, Missing::TimeOthers)));
    asked.networks.push_back(networks.back().get());
    asked.inputs.push_back(runtime::random_inputs(*networks.back()->graph));
  }
  const runtime::TurnTimes times = TRY(measure::time_networks(asked, &workers));
  BothTimes both{{times.networks[0].network, times.networks[1].network}, {}, {}};
  const auto& kernels = networks[0]->kernels;
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    const auto stages = sessions[0]->kernel(kernels[k].group);
    if (!stages || (*stages)->is_view) continue;
    const std::string workload = tune::workload_of(
        tuning_task(**stages, kernels[k].name, sessions[0]->toolchain().machine, report.threads));
    both.untuned[workload] += times.networks[0].kernels[k].median_ms;
    both.tuned[workload] += times.networks[1].kernels[k].median_ms;
  }
  return both;
}

bool is_slower(const NetworkTimes& network) {
  return network.tuned.median_ms > network.untuned.median_ms;
}

}  // namespace

Result<void> keep_what_pays(TuneReport& report, const ModelOptions& model,
                            measure::WorkerPool& workers, const Cancellation& cancellation) {
  BothTimes both = TRY(time_both(report, model, workers, cancellation));
  const auto withdraw = [&](const auto& which) {
    for (const auto& each : report.tuning.tunings()) {
      if (each->best_trial().number == 0 || !which(tune::workload_of(each->task()))) continue;
      report.withdrawn.push_back(each->task().kernel);
      each->withdraw();
    }
  };
  if (is_slower(both.network)) {
    withdraw(
        [&](const std::string& workload) { return both.tuned[workload] > both.untuned[workload]; });
    both = TRY(time_both(report, model, workers, cancellation));
  }
  if (is_slower(both.network)) {
    withdraw([](const std::string&) { return true; });
    both.network.tuned = both.network.untuned;
  }
  report.network = both.network;
  return {};
}

tune::Record withdrawal_of(const tune::Tuning& tuning, std::string_view compiler,
                           const std::string& run) {
  tune::Record record = record_of(tuning, tuning.default_trial(), true,
                                  tune::conditions_of(tuning.task(), compiler), run);
  record.is_withdrawn = true;
  return record;
}

}  // namespace loopglass::app
