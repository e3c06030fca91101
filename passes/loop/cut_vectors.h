// Cuts a vectorised loop whose lanes are no power of two into vectors that are.
//
//   for x in 37 vectorized { for k in 9 { Y[x] = Y[x] + A[k, x] } }
//     =>    for k in 9 {
//             for x_o in 2 unrolled { for x in 16 vectorized { Y[x_o * 16 + x] = ... } }
//             for x_1 in 8 vectorized { if x_1 < 5 { Y[32 + x_1] = ... } }
//           }
//
// LLVM would break an odd vector into small pieces. Loops and conditions that are the same in every
// lane stay around all the vectors, so that these run side by side. After unrolling is limited,
// which counts an odd vector as the statements that are made of it here.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> cut_vectors(const loop::Func& func, pass::Report& report);
pass::Words cut_vectors_words();

}  // namespace loopglass::passes
