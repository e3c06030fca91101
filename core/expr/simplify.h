// Simplification of index arithmetic under known ranges of variables.
//
// A linear form (sum of coefficient * atom + constant) is collected, then FloorDiv and FloorMod are
// resolved where the ranges prove it: (8*a + b) floordiv 8 -> a when 0 <= b < 8. Comparisons that
// the ranges decide become constants, and so do variables whose range is one value. Float
// arithmetic is left alone but for folding constants. Index arithmetic is taken not to overflow.
#pragma once

#include "core/expr/expr.h"

#include <map>
#include <optional>
#include <string>

namespace loopglass::expr {

struct Interval {
  std::int64_t min, max;  // inclusive
};
using Ranges = std::map<std::string, Interval>;

Expr simplify(const Expr& e, const Ranges& ranges = {});
// Bounds of an int64 expression, where they can be computed without overflow.
std::optional<Interval> bounds(const Expr& e, const Ranges& ranges);

// coefficient(variable) for an expression affine in `variable`: e = c * variable + rest, with rest
// free of it. nullopt when it is not affine.
std::optional<std::int64_t> coefficient(const Expr& e, const std::string& variable);

}  // namespace loopglass::expr
