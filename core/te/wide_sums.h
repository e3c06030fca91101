// Long float32 sums taken in float64, for who computes with a program rather than compiles it.
//
//   S[i] = sum over r < 100000 of X[i, r]
//     =>    S_wide[i] = sum over r < 100000 of cast<float64>(X[i, r])
//           S[i] = cast<float32>(S_wide[i])
//
// Added up one after another, as the interpreter does, float32 terms are lost once the sum is
// large: 10^8 ones are 16777216. Schedules sum in blocks instead
// (core/default_schedule/sum_blocks.h).
#pragma once

#include "core/te/te.h"

namespace loopglass::te {

// How many float32 terms one accumulator takes, here and where schedules sum.
constexpr std::int64_t longest_run = 4096;

// Sums of more than `longest` terms; shorter ones stay as they are.
Program with_wide_sums(Program program, std::int64_t longest);

}  // namespace loopglass::te
