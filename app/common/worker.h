// This program as a worker of itself: work in a process of its own, so that a crash, an endless
// loop or a runaway allocation costs one answer and nothing else.
#pragma once

#include "app/common/exit_codes.h"
#include "core/measure/serve.h"
#include "core/measure/worker_pool.h"

namespace loopglass::app {

// The word behind the program's name that makes it a worker.
inline constexpr const char* worker_switch = "worker";

// The file that runs now, whatever lies under its name meanwhile: both ends are one program.
measure::Program own_worker();

// Its name. SystemRefused where there is no /proc to ask, without which nothing runs in a worker.
Result<std::filesystem::path> own_program();

// What a worker can be asked for: kernels and networks to be timed, cases of the conformance
// suite.
measure::Jobs worker_jobs();

// Is one, until nobody asks any more. UsageInvalid where there is a terminal.
Result<Exit> be_worker();

}  // namespace loopglass::app
