// From tensor expressions to a loop nest: each stage becomes one block under one serial loop per
// axis, spatial axes outermost, in the program's order. Intermediates are Workspace allocations
// around the whole body. This is the nest a schedule starts from.
#pragma once

#include "core/loop/func.h"

namespace loopglass::loop {

// `constants` names those inputs whose data is known at compile time (they get Role::Constant, so a
// schedule may repack them).
Func lower(const te::Program& program, std::string name,
           const std::vector<std::string>& constants = {});

}  // namespace loopglass::loop
