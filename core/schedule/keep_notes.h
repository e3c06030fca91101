// Notes on loops and blocks, through primitives that make the statement anew.
#pragma once

#include "core/loop/func.h"

namespace loopglass::schedule {

// `after`, in which each loop or block that has a note in `before` and none any more has it again;
// it is known by its name.
loop::Func with_notes_of(const loop::Func& before, loop::Func after);

}  // namespace loopglass::schedule
