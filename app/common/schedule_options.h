// Scripts that a person gives to kernels on the command line, and files that schedules are written
// to.
#pragma once

#include "app/common/model_options.h"

namespace loopglass::app {

// --schedule, --save-schedule and --records, wherever kernels are scheduled.
void add_schedules(Command command, ModelOptions& options);
// Gives the kernels their scripts, each of which has to be legal; then writes what is asked for.
Result<void> set_schedules(Session& session, const ModelOptions& options);

}  // namespace loopglass::app
