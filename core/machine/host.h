// The machine that this process runs on: asked for by programs and tests, which hand it to all
// that needs one.
#pragma once

#include "core/machine/machine.h"

namespace loopglass {

// What the operating system's tables and CPUID say of it, with the vectors of the level that it is
// held to (instruction_level.h); rates are the default ones.
Machine host_machine();

}  // namespace loopglass
