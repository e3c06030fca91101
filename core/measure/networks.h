// Timing compiled networks where they can do no harm: in a worker, where there are any.
#pragma once

#include "core/runtime/network.h"
#include "core/runtime/turns.h"

#include <chrono>

namespace loopglass::measure {

class WorkerPool;

struct NetworksAsked {
  std::vector<const runtime::CompiledNetwork*> networks;
  std::vector<std::vector<Tensor>> inputs;  // of each network
  int threads = 1;
  runtime::TurnOptions options = {};
  // How long a worker may say nothing; else as long as very slow code would take for a round.
  std::optional<std::chrono::milliseconds> silence = {};
};

// `workers`: null: in this process, as where a kernel's code is not the compiler's. OutOfMemory as
// runtime::Executor says it; WorkerCrashed, WorkerTimedOut and WorkerLost, after which the next
// request has a worker of its own; Cancelled.
Result<runtime::TurnTimes> time_networks(const NetworksAsked& asked, WorkerPool* workers);

}  // namespace loopglass::measure
