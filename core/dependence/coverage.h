// Whether a block computes all that its iterations speak of: what must hold before it may be given
// loops of its own anew, or before the whole of what it writes is copied.
#pragma once

#include "core/loop/path.h"

namespace loopglass::schedule {

// Whether every tuple of the block's iterations, each below its extent, is run by the loops around
// the path's block, and by one iteration of those its bindings use. Splits that do not divide are
// seen through: their predicates leave out what lies beyond. Conservative.
bool runs_every_instance(const loop::Path& path);

// The loops around the block that none of its iterations is bound to and that run more than once:
// each of their iterations runs the same instances again.
std::vector<const loop::For*> repeating_loops(const loop::Path& path);

}  // namespace loopglass::schedule
