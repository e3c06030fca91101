// Shrinks each allocation to the part of it that is touched while it lives.
//
//   for y in 8 { alloc A: float32[8, 16] { ... A[y, x] ... } }
//     =>    for y in 8 { alloc A: float32[1, 16] { ... A[0, x] ... } }
//
// After allocations have found their places, which decides what is touched at a time, and after
// blocks are gone, since the new indices speak of the loops outside them. A stack or register
// buffer that stays too large for the stack goes to the workspace.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> compact_buffers(const loop::Func& func, pass::Report& report);
pass::Words compact_buffers_words();

}  // namespace loopglass::passes
