// Gives rows of a register buffer that are walked by an odd number of lanes room for whole vectors.
//
//   alloc S: float32[2 * 28] register
//   for x in 28 vectorized { S[r * 28 + x] = S[r * 28 + x] + A[x] }
//   for x in 28 vectorized { Y[x] = S[r * 28 + x] }
//     =>  alloc S: float32[2 * 32] register
//         for x in 32 vectorized { S[r * 32 + x] = S[r * 32 + x] + select(x < 28, A[x], 0) }
//         for x in 32 vectorized { if x < 28 { Y[x] = S[r * 32 + x] } }
//
// Rows that have the room already, as those of a tile at an edge that was cut from a whole one,
// keep their places. A vector of which some lanes idle is stored under a mask, and what is stored
// so stays in memory: sums in registers have to be whole vectors. What idle lanes compute is
// nobody's. Before cut-vectors, which makes vectors of lanes, and of whose pieces this asks.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> pad_lanes(const loop::Func& func, pass::Report& report);
pass::Words pad_lanes_words();

}  // namespace loopglass::passes
