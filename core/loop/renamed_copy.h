// A second copy of a statement in the same nest.
#pragma once

#include "core/loop/names.h"

namespace loopglass::loop {

// Its loops, blocks and allocations under names of their own.
Stmt renamed_copy(const Stmt& stmt, Names& names);

}  // namespace loopglass::loop
