// What came of --memory-limit, for commands that show a graph without planning its memory.
#pragma once

#include "app/loopglassc/command.h"

namespace loopglass::app {

// What passes said about the limit.
std::vector<pass::Remark> limit_remarks(const pass::GraphHistory& history);

// Says it on the error stream, or that no pass weighs the limit; nothing without a limit. Bad where
// a limit is not known to be kept.
Result<Exit> note_memory_limit(Session& session, const ModelOptions& options);

}  // namespace loopglass::app
