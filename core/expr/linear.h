// Linear forms of index arithmetic: a constant and a sum of coefficient * atom, where an atom is
// anything that is not itself a sum, a difference or a product by a constant.
#pragma once

#include "core/expr/expr.h"

#include <utility>
#include <vector>

namespace loopglass::expr {

struct Linear {
  std::vector<std::pair<Expr, std::int64_t>> terms;  // distinct atoms, coefficients not 0
  std::int64_t constant = 0;

  void add(const Expr& atom, std::int64_t coefficient);
  void add(const Linear& other, std::int64_t factor = 1);
  bool is_constant() const { return terms.empty(); }
  // The single atom with coefficient 1, if that is all but for the constant.
  const Expr* lone_atom() const;
};

// Of an int64 expression, as it stands: atoms are not simplified.
Linear linear(const Expr& e);
// a + b * 4 - 1, in the order of the terms.
Expr to_expr(const Linear& form);

}  // namespace loopglass::expr
