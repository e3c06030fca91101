// Makes a vectorised loop serial where its lanes would store into one element.
//
//   for x in 4 vectorized { if n + x < 1 { S[n] = max(S[n], X[x]) } }
//     =>    for x in 4 { if n + x < 1 { S[n] = max(S[n], X[x]) } }
//
// Such a loop is legal where a condition leaves one iteration at most, so that nothing is lost by
// it. After all that simplifies, which leaves indices as code generation takes them.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> serialize_lanes(const loop::Func& func, pass::Report& report);
pass::Words serialize_lanes_words();

}  // namespace loopglass::passes
