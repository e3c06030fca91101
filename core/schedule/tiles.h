// Blocks that hold others (blockize): what is inside of one is nobody else's affair.
#pragma once

#include "core/schedule/primitive.h"

namespace loopglass::schedule {

// None of the loops and blocks that the call speaks of may be inside a block; otherwise
// ScheduleIllegal.
Result<void> check_outside_tiles(const std::string& name, const std::vector<Parameter>& parameters,
                                 const loop::Func& func, std::span<const Argument> arguments);

// Their regions and those of the blocks inside, after something that they read or store to has
// changed.
loop::Func with_regions_of_tiles(loop::Func func);

}  // namespace loopglass::schedule
