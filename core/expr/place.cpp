#include "core/expr/place.h"

namespace loopglass::expr {

Expr place_of(const std::vector<Expr>& indices, const std::vector<Expr>& shape) {
  Expr place(0);
  for (std::size_t d = 0; d < indices.size(); ++d) place = place * shape[d] + indices[d];
  return place;
}

}  // namespace loopglass::expr
