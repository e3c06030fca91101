// Which elements a piece of a loop nest touches.
//
// An index expression is relaxed over the loops inside the piece: they run over their whole extent,
// while the loops around it keep their values, so the bounds are expressions of the outer loops.
#pragma once

#include "core/expr/simplify.h"
#include "core/loop/rewrite.h"

#include <optional>
#include <vector>

namespace loopglass::loop {

struct Bounds {
  Expr min, max;  // inclusive
};

// `inner`: extents of the variables to relax. `ranges`: of all variables, where known.
// nullopt where the expression is not understood (a load, a product of variables).
std::optional<Bounds> relax(const Expr& e, const Bindings& inner, const expr::Ranges& ranges);

// The smallest interval around both, if it can be written without min and max.
std::optional<Bounds> hull(const Bounds& a, const Bounds& b, const expr::Ranges& ranges);

// Greatest number of elements of the interval, where constant over all outer iterations.
std::optional<std::int64_t> width(const Bounds& bounds, const expr::Ranges& ranges);

// Whether the indices, relaxed over `inner`, take every point of the box of their bounds.
bool fills_its_box(const std::vector<Expr>& indices, const Bindings& inner,
                   const expr::Ranges& ranges);

}  // namespace loopglass::loop
