#include "core/expr/linear.h"

#include "core/expr/arithmetic.h"

#include <algorithm>

namespace loopglass::expr {

namespace {
// Index arithmetic wraps, and so do the coefficients.
std::int64_t plus(std::int64_t a, std::int64_t b) { return apply<BinaryOperator::Add>(a, b); }
std::int64_t times(std::int64_t a, std::int64_t b) { return apply<BinaryOperator::Mul>(a, b); }

void collect(const Expr& e, std::int64_t factor, Linear& into) {
  if (const auto value = as_integer(e)) {
    into.constant = plus(into.constant, times(*value, factor));
    return;
  }
  if (const auto* negated = e.as<Unary>(); negated && negated->op == UnaryOperator::Negate)
    return collect(negated->operand, times(factor, -1), into);
  if (const auto* binary = e.as<Binary>()) {
    const auto left = as_integer(binary->left), right = as_integer(binary->right);
    if (binary->op == BinaryOperator::Add || binary->op == BinaryOperator::Sub) {
      collect(binary->left, factor, into);
      collect(binary->right, binary->op == BinaryOperator::Add ? factor : times(factor, -1), into);
      return;
    }
    if (binary->op == BinaryOperator::Mul && (left || right))
      return collect(left ? binary->right : binary->left, times(factor, left ? *left : *right),
                     into);
  }
  into.add(e, factor);
}
}  // namespace

void Linear::add(const Expr& atom, std::int64_t coefficient) {
  const auto found = std::find_if(terms.begin(), terms.end(),
                                  [&](const auto& term) { return same(term.first, atom); });
  if (found == terms.end()) {
    if (coefficient != 0) terms.emplace_back(atom, coefficient);
    return;
  }
  found->second = plus(found->second, coefficient);
  if (found->second == 0) terms.erase(found);
}

void Linear::add(const Linear& other, std::int64_t factor) {
  for (const auto& [atom, coefficient] : other.terms) add(atom, times(coefficient, factor));
  constant = plus(constant, times(other.constant, factor));
}

const Expr* Linear::lone_atom() const {
  return terms.size() == 1 && terms[0].second == 1 ? &terms[0].first : nullptr;
}

Linear linear(const Expr& e) {
  Linear form;
  collect(e, 1, form);
  return form;
}

Expr to_expr(const Linear& form) {
  Expr sum;
  const auto append = [&](const Expr& atom, std::int64_t coefficient) {
    // The least integer has no opposite to subtract.
    const bool subtract = sum.defined() && coefficient < 0 && times(coefficient, -1) > 0;
    const Expr term = atom * Expr(subtract ? -coefficient : coefficient);
    sum = !sum.defined() ? term : subtract ? sum - term : sum + term;
  };
  // What is added comes first where the form would open with a minus.
  auto first = std::find_if(form.terms.begin(), form.terms.end(),
                            [](const auto& term) { return term.second > 0; });
  const bool constant_first = first == form.terms.end() && form.constant > 0;
  if (first == form.terms.end()) first = form.terms.begin();
  if (constant_first) sum = Expr(form.constant);
  else if (first != form.terms.end()) append(first->first, first->second);
  for (auto term = form.terms.begin(); term != form.terms.end(); ++term)
    if (constant_first || term != first) append(term->first, term->second);
  if (!sum.defined()) return form.constant;
  if (constant_first || form.constant == 0) return sum;
  const bool subtract = form.constant < 0 && times(form.constant, -1) > 0;
  return subtract ? sum - Expr(-form.constant) : sum + Expr(form.constant);
}

}  // namespace loopglass::expr
