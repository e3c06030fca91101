// A person's own partition: the plan of another strategy with edits made to it
// (core/fusion/edits.h).
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::passes {

// Row of the table. `bases`: the strategies that a script may begin with, the default one first.
fusion::Strategy fuse_by_hand(std::vector<fusion::Strategy> bases);

}  // namespace loopglass::passes
