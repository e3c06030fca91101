#include "core/expr/condition.h"

#include "core/expr/linear.h"
#include "core/support/ceil_div.h"

#include <numeric>

namespace loopglass::expr {

Expr below_zero(const Expr& e) {
  const Linear form = linear(e);
  if (form.is_constant()) return boolean(form.constant < 0);
  std::int64_t common = 0;
  for (const auto& [atom, coefficient] : form.terms) common = std::gcd(common, coefficient);
  // common * sum < -constant  <=>  sum < ceil(-constant / common)
  const std::int64_t limit = ceil_div(-form.constant, common);
  Linear left, right;
  for (const auto& [atom, coefficient] : form.terms) {
    Linear& side = coefficient > 0 ? left : right;
    side.add(atom, std::abs(coefficient / common));
  }
  if (left.is_constant()) {  // -right < limit
    left.constant = -limit;
    return to_expr(right) > to_expr(left);
  }
  (right.is_constant() || limit > 0 ? right : left).constant =
      right.is_constant() || limit > 0 ? limit : -limit;
  return to_expr(left) < to_expr(right);
}

bool is_true(const Expr& condition) {
  const auto* node = condition.as<IntConstant>();
  return node && node->value != 0;
}

bool is_false(const Expr& condition) {
  const auto* node = condition.as<IntConstant>();
  return node && node->value == 0;
}

Expr conjunction(const Expr& a, const Expr& b) {
  if (!a.defined()) return b;
  return b.defined() ? a && b : a;
}

std::vector<Expr> conjuncts(const Expr& condition) {
  if (!condition.defined()) return {};
  const auto* node = condition.as<Binary>();
  if (!node || node->op != BinaryOperator::And) return {condition};
  std::vector<Expr> result = conjuncts(node->left);
  for (Expr& e : conjuncts(node->right)) result.push_back(std::move(e));
  return result;
}

}  // namespace loopglass::expr
