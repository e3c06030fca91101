// Intervals of index expressions, and coefficients of variables in them.
#include "core/expr/arithmetic.h"
#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"

#include <algorithm>

namespace loopglass::expr {

namespace {

using Bounds = std::optional<Interval>;

std::optional<std::int64_t> product(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

Bounds sum(Interval a, Interval b) {
  Interval result;
  if (__builtin_add_overflow(a.min, b.min, &result.min) ||
      __builtin_add_overflow(a.max, b.max, &result.max))
    return std::nullopt;
  return result;
}

Bounds scaled(Interval a, std::int64_t factor) {
  const auto low = product(a.min, factor), high = product(a.max, factor);
  if (!low || !high) return std::nullopt;
  return Interval{std::min(*low, *high), std::max(*low, *high)};
}

Bounds multiplied(Interval a, Interval b) {
  Interval result{};
  bool first = true;
  for (const std::int64_t x : {a.min, a.max})
    for (const std::int64_t y : {b.min, b.max}) {
      const auto corner = product(x, y);
      if (!corner) return std::nullopt;
      result = first ? Interval{*corner, *corner}
                     : Interval{std::min(result.min, *corner), std::max(result.max, *corner)};
      first = false;
    }
  return result;
}

Bounds hull(const Bounds& a, const Bounds& b) {
  if (!a || !b) return std::nullopt;
  return Interval{std::min(a->min, b->min), std::max(a->max, b->max)};
}

class Bounding {
 public:
  explicit Bounding(const Ranges& ranges) : ranges_(ranges) {}

  Bounds of(const Expr& e) const {
    if (e.type() != DataType::Int64) return of_narrow(e);
    const Linear form = linear(e);
    Bounds total = Interval{form.constant, form.constant};
    for (const auto& [atom, coefficient] : form.terms) {
      const Bounds bounds = of_atom(atom);
      const Bounds part = bounds ? scaled(*bounds, coefficient) : std::nullopt;
      total = part && total ? sum(*total, *part) : std::nullopt;
      if (!total) return std::nullopt;
    }
    return total;
  }

 private:
  // Every value of a narrow integer type, for what is cast from it.
  static Bounds of_narrow(const Expr& e) {
    return visit_type(e.type(), [&](auto element) -> Bounds {
      using T = decltype(element);
      if constexpr (is_float_type<T> || std::is_same_v<T, std::uint64_t>) return std::nullopt;
      else if (const auto* constant = e.as<IntConstant>())
        return Interval{constant->value, constant->value};
      else return Interval{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    });
  }

  Bounds of_atom(const Expr& atom) const {
    if (const auto* variable = atom.as<Variable>()) {
      const auto found = ranges_.find(variable->name);
      return found == ranges_.end() ? std::nullopt : Bounds(found->second);
    }
    if (const auto* binary = atom.as<Binary>()) return of_binary(*binary);
    if (const auto* select = atom.as<Select>())
      return hull(of(select->when_true), of(select->when_false));
    if (const auto* converted = atom.as<Cast>()) return of_narrow(converted->operand);
    if (const auto* unary = atom.as<Unary>()) return of_unary(*unary);
    return std::nullopt;
  }

  Bounds of_unary(const Unary& e) const {
    const Bounds operand = of(e.operand);
    if (e.op == UnaryOperator::Sign)
      return operand ? Interval{operand->min > 0   ? 1
                                : operand->min < 0 ? -1
                                                   : 0,
                                operand->max > 0   ? 1
                                : operand->max < 0 ? -1
                                                   : 0}
                     : Interval{-1, 1};
    if (e.op != UnaryOperator::Abs || !operand) return std::nullopt;
    const Bounds opposite = scaled(*operand, -1);
    if (!opposite) return std::nullopt;
    const std::int64_t high = std::max(operand->max, opposite->max);
    if (operand->min >= 0) return operand;
    return operand->max <= 0 ? opposite : Interval{0, high};
  }

  Bounds of_binary(const Binary& e) const {
    using enum BinaryOperator;
    const Bounds a = of(e.left), b = of(e.right);
    switch (e.op) {
      case Mul: return a && b ? multiplied(*a, *b) : std::nullopt;
      case Min:
        return a && b ? Bounds(Interval{std::min(a->min, b->min), std::min(a->max, b->max)})
                      : std::nullopt;
      case Max:
        return a && b ? Bounds(Interval{std::max(a->min, b->min), std::max(a->max, b->max)})
                      : std::nullopt;
      case FloorDiv: return quotient(a, b, floor_quotient);
      case Div: return quotient(a, b, truncated_quotient<std::int64_t>);
      case FloorMod: {
        if (!b || b->min < 1) return std::nullopt;
        if (a && a->min >= 0 && a->max < b->min) return a;
        const std::int64_t c = b->min;
        if (a && b->max == c && floor_quotient(a->min, c) == floor_quotient(a->max, c))
          return Interval{apply<FloorMod>(a->min, c), apply<FloorMod>(a->max, c)};
        return Interval{0, b->max - 1};
      }
      case Mod: {
        if (!b || b->min < 1) return std::nullopt;
        if (a && a->min >= 0)
          return a->max < b->min ? *a : Interval{0, std::min(a->max, b->max - 1)};
        return Interval{1 - b->max, b->max - 1};
      }
      default: return std::nullopt;
    }
  }

  // By a positive divisor, quotients are monotone in the dividend and least or greatest at an end
  // of the divisor.
  template <class Quotient>
  static Bounds quotient(const Bounds& a, const Bounds& b, Quotient quotient) {
    if (!a || !b || b->min < 1) return std::nullopt;
    return Interval{std::min(quotient(a->min, b->min), quotient(a->min, b->max)),
                    std::max(quotient(a->max, b->min), quotient(a->max, b->max))};
  }

  const Ranges& ranges_;
};

}  // namespace

std::optional<Interval> bounds(const Expr& e, const Ranges& ranges) {
  return Bounding(ranges).of(e);
}

std::optional<std::int64_t> coefficient(const Expr& e, const std::string& variable) {
  if (e.type() != DataType::Int64)
    return uses_variable(e, variable) ? std::nullopt : std::optional<std::int64_t>(0);
  std::int64_t result = 0;
  for (const auto& [atom, factor] : linear(e).terms) {
    if (const auto* leaf = atom.as<Variable>(); leaf && leaf->name == variable) result = factor;
    else if (uses_variable(atom, variable)) return std::nullopt;
  }
  return result;
}

}  // namespace loopglass::expr
