// Moves each allocation to the lowest place around all uses of its buffer.
//
//   alloc A { for y { for a { A[a] = ... }  for x { ... A[x] ... } } }
//     =>    for y { alloc A { for a { A[a] = ... }  for x { ... A[x] ... } } }
//
// While there are blocks: a loop is entered only where each of its iterations writes what it reads,
// which blocks and their initial values still say plainly. Threads of a parallel loop thereby get
// buffers of their own.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> place_allocations(const loop::Func& func, pass::Report& report);
pass::Words place_allocations_words();

}  // namespace loopglass::passes
