// Says where lies what each iteration of a parallel loop has for itself.
//
//   for y in 8 parallel { alloc t: float32[100] workspace { ... t[i] ... } }
//     =>    for y in 8 parallel { alloc t: float32[100] stack { ... t[i] ... } }
//   for y in 8 parallel { alloc t: float32[500000] workspace { ... t[i] ... } }
//     =>    alloc t: float32[4000000] workspace { for y in 8 parallel { ... t[y * 500000 + i] ... }
//     }
//
// A buffer of less than a second-level cache lies on the stack of its thread, where it stays in the
// cache from one iteration to the next. A large one, or one whose size follows from symbols, is cut
// out of the workspace once for every iteration, from one cache line to another, since nobody knows
// which thread runs which. The shared memory of a GPU's block is workspace here, of one iteration
// where its blocks are iterations of a parallel loop. After the passes that make copies.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> place_workspace(const loop::Func& func, pass::Report& report);
pass::Words place_workspace_words();

}  // namespace loopglass::passes
