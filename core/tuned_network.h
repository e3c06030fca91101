// Whether what tuning found of kernels by themselves pays in their network: there their data lie
// elsewhere, and what is faster alone may be slower.
#pragma once

#include "core/measure/worker_pool.h"
#include "core/runtime/times_in_turns.h"
#include "core/session.h"
#include "core/tune/network_tuning.h"

namespace loopglass {

// The network as it was and as it is with what was found, in turns.
struct NetworkTimes {
  runtime::Statistics untuned, tuned;
  runtime::TimesInTurns turns;  // the second over the first
};

// Runs the network of the session without and with what was found, in turns. Where that is slower,
// kernels that are slower in it than by their default schedules go back to these; and where it
// still is, all do. `on_withdrawal`: at once, of each tuning that has the default schedule as its
// best from here on. Cancelled, and what measure::time_networks says; what was withdrawn before
// stays so.
Result<NetworkTimes> keep_what_pays(
    const tune::NetworkTuning& tuning, const Session& session, int threads,
    measure::WorkerPool& workers,
    const std::function<Result<void>(const tune::Tuning&)>& on_withdrawal,
    const Cancellation& cancellation);

}  // namespace loopglass
