// Conditions on indices in the form that people write: x > 1, not 1 - x < 0.
#pragma once

#include "core/expr/expr.h"

namespace loopglass::expr {

// Whether an int64 index expression is below zero: common factors divided out, every term on the
// side where its coefficient is positive. Like all index arithmetic it does not wrap.
Expr below_zero(const Expr& e);

}  // namespace loopglass::expr
