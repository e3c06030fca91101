// Whether what tuning found of kernels by themselves pays in their network.
#pragma once

#include "app/common/model_options.h"
#include "app/loopglassc/tune_report.h"
#include "core/measure/worker_pool.h"

namespace loopglass::app {

// Runs the network without and with what was found, in turns. Where that is slower, kernels that
// are slower in it than by their default schedules go back to these; and where it still is, all do.
// Fills in `network` and `withdrawn`; the tunings of these have the default schedule as their best.
Result<void> keep_what_pays(TuneReport& report, const ModelOptions& model,
                            measure::WorkerPool& workers, const Cancellation& cancellation);

// The line that says so among the run's records, once the tuning is withdrawn.
tune::Record withdrawal_of(const tune::Tuning& tuning, std::string_view compiler,
                           const std::string& run);

}  // namespace loopglass::app
