// Every primitive with every small argument that a nest offers.
#pragma once

#include "core/script/trace.h"

namespace loopglass::schedule {

// Names stand in quotes, so that each line replays by itself.
std::vector<Instruction> every_call(const loop::Func& func);

}  // namespace loopglass::schedule
