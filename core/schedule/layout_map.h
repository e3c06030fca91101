// The index map of transform_layout, as text:
//
//   "k c r s -> k/32 c r s k%32"   a dimension split in two, padded to a multiple of 32
//   "k n -> n k"                   a permutation
//   "n k y x -> n k (y x)"         neighbouring dimensions joined
//
// Left of the arrow the old dimensions are named; right of it every name appears once plain, once
// in a group, or as a pair name/f and name%f. So the map is injective by construction.
#pragma once

#include "core/expr/expr.h"
#include "core/support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace loopglass::schedule {

struct LayoutTerm {
  enum class Kind : std::uint8_t { Plain, Quotient, Remainder, Group } kind = Kind::Plain;
  std::vector<std::size_t> dimensions;  // old dimensions; one unless a group
  std::int64_t factor = 1;              // of a quotient or remainder
};

struct LayoutMap {
  std::size_t old_rank = 0;
  std::vector<LayoutTerm> terms;  // one per new dimension

  // Extents of the new dimensions; splits round up.
  std::vector<expr::Expr> shape(const std::vector<expr::Expr>& old_shape) const;
  // Where an element of the old indices goes.
  std::vector<expr::Expr> forward(const std::vector<expr::Expr>& indices,
                                  const std::vector<expr::Expr>& old_shape) const;
  // Which old indices the new indices d0, d1, ... stand for.
  std::vector<expr::Expr> backward(const std::vector<expr::Expr>& indices,
                                   const std::vector<expr::Expr>& old_shape) const;
};

// TextMalformed with a caret.
Result<LayoutMap> parse_layout_map(std::string_view text);

}  // namespace loopglass::schedule
