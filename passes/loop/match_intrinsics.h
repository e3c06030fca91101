// Looks once more whether a nest that is given to an intrinsic is what the intrinsic computes.
//
//   @intrinsic="matmul_8x8x8" for i in 8 { for j in 8 { for k in 6 { ... } } }
//     =>  for i in 8 { for j in 8 { for k in 6 { ... } } }
//
// The nest is the meaning, whatever is noted on it. It may have changed since the note was made: by
// primitives, by hand, by the passes before. Where it no longer matches it runs as the loops that
// it is; code generation finds notes only where they hold.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> match_intrinsics(const loop::Func& func, pass::Report& report);
pass::Words match_intrinsics_words();

}  // namespace loopglass::passes
