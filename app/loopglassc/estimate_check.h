// calibrate --check MODEL: how well the cost model foretells the times of a network's kernels.
#pragma once

#include "app/loopglassc/command.h"

namespace loopglass::app {

// Plans the model by the default strategy, times its kernels on one thread and compares.
Result<Exit> check_estimates(const std::string& model, int rounds, bool json);

}  // namespace loopglass::app
