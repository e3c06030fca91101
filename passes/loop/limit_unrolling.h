// Keeps a loop a loop where its copies would be too many statements in one place.
//
//   for y in 10 unrolled { for x in 16 vectorized { for c in 33 { if x < 9 { Y[c * 90 + y * 9 + x]
//   = ... } } } }
//     =>    for y in 10 { for x in 16 vectorized { for c in 33 { if x < 9 { ... } } } }
//
// A tile that is unrolled pays while it is what stands in registers. Beyond that LLVM, which
// unrolls short loops inside the copies as well, gets one block of hundreds of loads and stores,
// and choosing instructions for it takes time in about the cube of their number. Of nested unrolled
// loops the innermost stay unrolled. After passes that make copies too, or decide by what is
// unrolled.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

// The budget: so many statements may come of one unrolled loop. The largest tile of the default
// schedule is 31 vectors, and initial values and results are tiles of their own.
inline constexpr std::int64_t most_unrolled_statements = 128;

Result<loop::Func> limit_unrolling(const loop::Func& func, pass::Report& report);
pass::Words limit_unrolling_words();

}  // namespace loopglass::passes
