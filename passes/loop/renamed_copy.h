// A second copy of a statement in the same nest.
#pragma once

#include "core/loop/names.h"

namespace loopglass::passes {

// Its loops and allocations under names of their own.
loop::Stmt renamed_copy(const loop::Stmt& stmt, loop::Names& names);

}  // namespace loopglass::passes
