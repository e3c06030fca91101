// Takes the blocks away: iteration variables become what they are bound to, predicates become
// conditions, and each store keeps the origin of its block.
//
//   for k_0 { for k_1 { block C(i0 = k_0 * 4 + k_1) where k_0 * 4 + k_1 < 10 { C[i0] = X[i0] } } }
//     =>    for k_0 { for k_1 { if k_0 * 4 + k_1 < 10 { C[k_0 * 4 + k_1] = X[k_0 * 4 + k_1] } } }
//
// After the passes that ask what a block means (placing allocations, explicit initial values).
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> lower_blocks(const loop::Func& func, pass::Report& report);
pass::Words lower_blocks_words();

}  // namespace loopglass::passes
