// The default schedule, step by step, and all loop passes after it, against the nest as it stands.
#pragma once

#include "core/loop/func.h"
#include "core/machine/machine.h"

namespace loopglass::schedule {

// What is computed stays the same, within `tolerance` of relative error. With SHOW in the
// environment, prints the script and what the passes made of it.
void expect_every_step_right(const loop::Func& func, const Machine& machine, double tolerance = 0);

}  // namespace loopglass::schedule
