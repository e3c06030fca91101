// Ends a loop where the condition on all that it does ends.
//
//   for y in 6 unrolled { for x in 16 vectorized { if y < 4 { Y[y * 16 + x] = X[y * 16 + x] } } }
//     =>    for y in 4 unrolled { for x in 16 vectorized { Y[y * 16 + x] = X[y * 16 + x] } }
//
// So the tile at an edge is a smaller tile, which computes nothing in vain. After peel-predicates,
// which leaves that tile by itself; before passes that count what is unrolled, or cut odd numbers
// of lanes into vectors.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> trim_loops(const loop::Func& func, pass::Report& report);
pass::Words trim_loops_words();

}  // namespace loopglass::passes
