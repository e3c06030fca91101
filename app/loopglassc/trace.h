// What `passes` shows of a history rewrite by rewrite: all of them, or those that breakpoints stop
// at.
#pragma once

#include "app/loopglassc/command.h"

namespace loopglass::app {

// Every rewrite: what it consumed and made, its reason, its time.
Result<void> print_trace(Session& session, bool json);
// Every place that one of the breakpoints (as text) stops at, fusion included. UsageInvalid: what
// `model` asks of fusion, without a breakpoint there.
Result<void> print_stops(Session& session, const std::vector<std::string>& breakpoints,
                         const ModelOptions& model, bool json);

}  // namespace loopglass::app
