// What has to hold of a nest that a person wrote, beyond its form (loop::verify): what the compiler
// makes keeps to it by construction.
#pragma once

#include "core/loop/func.h"

namespace loopglass::schedule {

// No access leaves its buffer, whatever the extents that symbols stand for; and loops that are said
// to run at once (parallel, vectorized, axes of a launch) carry no dependence. FuncInvalid with the
// access and an iteration that shows it, or ScheduleIllegal.
Result<void> check_sound(const loop::Func& func);

}  // namespace loopglass::schedule
