// Takes boundary predicates out of hot loops: decides them once per tile, not once per element.
//
//   for t in 13 { for x in 16 vectorized { if t * 16 + x < 197 { ... } } }
//     =>    for t in 12 { for x in 16 vectorized { ... } }
//           for t in 1  { for x in 16 vectorized { if (t + 12) * 16 + x < 197 { ... } } }
//
// So with the condition of a select, and with a condition that is the same for all of a hot loop;
// but a select that only a few repeats of an unrolled tile need is left to them. Where the
// predicate holds for a first run of iterations, whose length is a number or an expression of
// symbols, the loop is cut in two; else (a fused loop, whose boundary comes again and again, or a
// parallel one, which should stay one) each iteration asks whether its whole tile is inside; where
// only the last tile of a row is not, that one knows which it is:
//
//   for f in 6 parallel { for x in 4 vectorized { if f % 3 * 4 + x < 10 { ... } } }
//     =>    for f in 6 parallel { if f % 3 < 2 { for x in 4 vectorized { ... } }
//                                 else { for x in 4 vectorized { if x < 2 { ... } } } }
//
// A loop of very many conditions is left (PEEL_OVER_BUDGET).
// Late, since it doubles code that other passes would walk twice.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<loop::Func> peel_predicates(const loop::Func& func, pass::Report& report);
pass::Words peel_predicates_words();

}  // namespace loopglass::passes
