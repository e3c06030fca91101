// Which roof a kernel is at after each line of its schedule.
#pragma once

#include "core/measure/script_times.h"
#include "core/roofline/roofs.h"
#include "core/toolchain.h"

namespace loopglass {

// Of each line that was timed, before what else is in its way: the roof that it is at, so that
// registers that go to the stack meanwhile do not matter; and that some threads have nothing to do.
// `roofs`: of as many threads as were asked for. What time_script() says, and Cancelled.
Result<void> add_roofs(const measure::ScriptAsked& asked, const Toolchain& toolchain,
                       const roofline::Roofs& roofs, std::vector<measure::LineTime>& lines,
                       const Cancellation& cancellation = {});

}  // namespace loopglass
