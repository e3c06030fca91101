// Where an element lies in a tensor whose last dimension lies side by side.
#pragma once

#include "core/expr/expr.h"

#include <vector>

namespace loopglass::expr {

// Counted in elements from the first; as many indices as extents. Not simplified.
Expr place_of(const std::vector<Expr>& indices, const std::vector<Expr>& shape);

}  // namespace loopglass::expr
