// Makes the initial value of a reduction a statement of its own, under the condition that says
// when.
//
//   block C(i0 = i, reduce r0 = k) { init { C[i0] = 0 }  C[i0] = C[i0] + ... }
//     =>    block C(i0 = i, reduce r0 = k) { if r0 == 0 { C[i0] = 0 }  C[i0] = C[i0] + ... }
//
// Before the blocks themselves go. A schedule that decomposed its reductions has none left.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> make_init_explicit(const loop::Func& func, pass::Report& report);
pass::Words make_init_explicit_words();

}  // namespace loopglass::passes
