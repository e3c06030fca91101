// Gives a buffer that a vectorised loop allocates an element for each lane: scalar expansion.
//
//   for x in 16 vectorized { alloc t: float32[2] { t[0] = A[x] ... } }
//     =>    alloc t: float32[2, 16] { for x in 16 vectorized { t[0, x] = A[x] ... } }
//
// Lanes run together, so that what each has for itself lies beside that of the others, lanes
// innermost: one vector. After compaction, which shrinks what lanes would multiply, and before
// buffers are given their one dimension.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> expand_lane_buffers(const loop::Func& func, pass::Report& report);
pass::Words expand_lane_buffers_words();

}  // namespace loopglass::passes
