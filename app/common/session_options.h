// A session's file in the place of a model: what was asked in the window is asked again.
#pragma once

#include "app/common/model_options.h"
#include "core/request.h"

namespace loopglass::app {

// Where the model is a session's file: its model takes the place, and of its shapes, passes, memory
// limit, strategy, edges and edits those are taken that the command line says nothing of, and its
// schedules where the command takes any. Edits and schedules of the command line come after those
// of the session, but for a file of edits, which replaces them.
// Commands that take no edges or edits leave them out and say so. UsageInvalid: another of the
// model's graphs is asked for, and edges and edits are of this one.
Result<void> take_session(ModelOptions& options);

}  // namespace loopglass::app
