// Conditions: their parts, and those on indices in the form that people write: x > 1, not
// 1 - x < 0.
#pragma once

#include "core/expr/expr.h"

#include <vector>

namespace loopglass::expr {

// Whether an int64 index expression is below zero: common factors divided out, every term on the
// side where its coefficient is positive. Like all index arithmetic it does not wrap.
Expr below_zero(const Expr& e);

// A condition that is constant.
bool is_true(const Expr& condition);
bool is_false(const Expr& condition);
// Of both that are defined: an undefined condition holds.
Expr conjunction(const Expr& a, const Expr& b);
// What must all hold, from left to right; none of an undefined condition.
std::vector<Expr> conjuncts(const Expr& condition);

}  // namespace loopglass::expr
