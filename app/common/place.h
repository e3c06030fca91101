// Places in what has been done to a graph or a kernel, as every command takes them
// (core/pass/position.h).
#pragma once

#include "app/common/arguments.h"
#include "core/session.h"

namespace loopglass::app {

// `name`: an option, or that of a positional argument. The forms are added to `doc`.
Option add_place(Command command, const std::string& name, std::string& place,
                 const std::string& doc);

// The step of that name or number, the last where nothing is said. UsageInvalid: there is none, or
// the place is in the middle of one.
Result<std::size_t> choose_step(const std::string& place, const std::vector<std::string>& names,
                                const std::string& option);
// "input", and the primitives that were applied.
std::vector<std::string> schedule_steps(const KernelStages& kernel);

}  // namespace loopglass::app
