// Conditions on indices, as padding and predicates make them: comparisons of affine forms, and
// their conjunctions and disjunctions. Most hold, or fail, for all lanes of a batch at once, and
// that is known from the forms' extremes without looking at a lane.
#pragma once

#include "core/loop/lanes.h"

namespace loopglass::loop::lanes {

// Null where the expression is no such condition.
ValuesPtr<bool> compile_condition(const expr::Binary& e, const Environment& environment,
                                  const Batch& batch);

}  // namespace loopglass::loop::lanes
