// The machine that this process runs on: asked for by programs and tests, which hand it to all
// that needs one.
#pragma once

#include "core/machine/machine.h"

namespace loopglass {

// What the operating system's tables and CPUID say of it; rates are the default ones.
Machine host_machine();

}  // namespace loopglass
