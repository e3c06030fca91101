// Simplifies indices and conditions under the ranges of the loops, and drops what has become empty.
//
//   for y in 1 { for x in 8 { if y * 8 + x < 8 { A[(y * 8 + x) // 8, (y * 8 + x) % 8] = 0 } } }
//     =>    for x in 8 { A[0, x] = 0 }
//
// Loops of one iteration vanish, loops of none with their bodies; decided conditions take their
// branch. Run after each pass that makes new index arithmetic.
#pragma once

#include "core/expr/simplify.h"
#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> simplify_loops(const loop::Func& func, pass::Report& report);
// The same for a statement inside loops of known ranges; null when nothing is left.
loop::Stmt simplified(const loop::Stmt& stmt, const expr::Ranges& ranges);

}  // namespace loopglass::passes
