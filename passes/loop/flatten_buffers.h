// Gives every buffer one dimension, row-major.
//
//   A: float32[4, 8],  A[y, x]    =>    A: float32[32],  A[y * 8 + x]
//
// Near the end: only now can an index be simplified across dimensions, so that walking a whole row
// after another is seen as walking straight on.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> flatten_buffers(const loop::Func& func, pass::Report& report);

}  // namespace loopglass::passes
