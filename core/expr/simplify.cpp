#include "core/expr/simplify.h"

#include "core/expr/arithmetic.h"
#include "core/expr/linear.h"
#include "core/expr/rewrite.h"
#include "core/support/check.h"

#include <algorithm>
#include <numeric>

namespace loopglass::expr {

namespace {

class Simplifier {
 public:
  explicit Simplifier(const Ranges& ranges) : ranges_(ranges) {}

  // Operands are simplified already.
  Expr node(const Expr& e) const {
    if (const auto* variable = e.as<Variable>()) {
      const auto known = ranges_.find(variable->name);
      const bool single = known != ranges_.end() && known->second.min == known->second.max;
      return single && e.type() == DataType::Int64 ? Expr(known->second.min) : Expr();
    }
    if (const auto* select = e.as<Select>())
      return same(select->when_true, select->when_false) ? select->when_true : Expr();
    if (const auto* unary = e.as<Unary>())
      return unary->op == UnaryOperator::Negate && e.type() == DataType::Int64 ? rebuilt(linear(e))
                                                                               : Expr();
    const auto* binary = e.as<Binary>();
    if (!binary) return {};
    if (binary->left.type() == DataType::Int64) return whole(e, *binary);
    const bool logical = binary->op == BinaryOperator::And || binary->op == BinaryOperator::Or;
    return logical && same(binary->left, binary->right) ? binary->left : Expr();
  }

 private:
  Expr whole(const Expr& e, const Binary& binary) const {
    using enum BinaryOperator;
    switch (binary.op) {
      case Add:
      case Sub:
      case Mul: return rebuilt(linear(e));
      case FloorDiv:
      case FloorMod:
      case Div:
      case Mod: return divided(binary);
      case Min:
      case Max: return chosen(binary);
      case Equal:
      case NotEqual:
      case Less:
      case LessEqual:
      case Greater:
      case GreaterEqual: return compared(binary);
      case And:
      case Or:
      case Pow:
      case BitAnd:
      case BitOr:
      case BitXor:
      case ShiftLeft:
      case ShiftRight:
      case DotPairs:
      case DotQuads: return {};
    }
    __builtin_unreachable();
  }

  std::optional<Interval> range(const Linear& form) const { return bounds(to_expr(form), ranges_); }

  // Index arithmetic stays far from the ends of int64, so that a sum orders and divides as it does
  // in mathematics. Arithmetic on data may wrap, and is taken at its word only within known bounds.
  bool never_wraps(const Expr& e) const { return !has_load(e) || bounds(e, ranges_); }

  // Of a - b, where that is what their order follows from.
  std::optional<Interval> difference(const Expr& a, const Expr& b) const {
    if (!never_wraps(a) || !never_wraps(b)) return std::nullopt;
    Linear form = linear(a);
    form.add(linear(b), -1);
    return range(form);
  }

  Expr chosen(const Binary& e) const {
    const auto distance = difference(e.left, e.right);
    if (!distance) return {};
    const bool is_min = e.op == BinaryOperator::Min;
    if (distance->max <= 0) return is_min ? e.left : e.right;
    if (distance->min >= 0) return is_min ? e.right : e.left;
    return {};
  }

  // Asks the operator about the extremes of left - right: it is decided when every value between
  // them gives the same answer.
  Expr compared(const Binary& e) const {
    using enum BinaryOperator;
    if (e.op == Equal || e.op == NotEqual) return equated(e);
    const auto distance = difference(e.left, e.right);
    if (!distance) return {};
    const auto [min, max] = *distance;
    if (e.op == Less) return max < 0 ? boolean(true) : min >= 0 ? boolean(false) : Expr();
    if (e.op == LessEqual) return max <= 0 ? boolean(true) : min > 0 ? boolean(false) : Expr();
    if (e.op == Greater) return min > 0 ? boolean(true) : max <= 0 ? boolean(false) : Expr();
    CHECK(e.op == GreaterEqual, "a comparison");
    return min >= 0 ? boolean(true) : max < 0 ? boolean(false) : Expr();
  }

  // Whether or not sums wrap: they are equal when their difference is zero.
  Expr equated(const Binary& e) const {
    Linear form = linear(e.left);
    form.add(linear(e.right), -1);
    const auto distance = range(form);
    if (!distance) return {};
    const bool equal = e.op == BinaryOperator::Equal;
    if (distance->min == 0 && distance->max == 0) return boolean(equal);
    return distance->min > 0 || distance->max < 0 ? boolean(!equal) : Expr();
  }

  Expr divided(const Binary& e) const {
    using enum BinaryOperator;
    const auto divisor = as_integer(e.right);
    if (!divisor || *divisor < 1 || !never_wraps(e.left)) return {};
    if (e.op == Div || e.op == Mod) {
      // Truncation is flooring on what is not negative.
      const auto dividend = bounds(e.left, ranges_);
      if (!dividend || dividend->min < 0) return {};
    }
    const bool quotient = e.op == Div || e.op == FloorDiv;
    return rebuilt(quotient ? quotient_of(linear(e.left), *divisor)
                            : remainder_of(linear(e.left), *divisor));
  }

  // The quotient by c where all values have the same one.
  std::optional<std::int64_t> common_quotient(const Linear& form, std::int64_t c) const {
    const auto interval = range(form);
    if (!interval) return std::nullopt;
    const std::int64_t low = floor_quotient(interval->min, c);
    return low == floor_quotient(interval->max, c) ? std::optional(low) : std::nullopt;
  }

  // form = g * high + low with 0 <= low < g, for some g that divides c; g is 1 when there is none.
  struct Split {
    std::int64_t g = 1;
    Linear high, low;
  };
  Split split(const Linear& form, std::int64_t c) const {
    std::vector<std::int64_t> candidates{c};
    for (const auto& [atom, factor] : form.terms) candidates.push_back(std::gcd(c, factor));
    std::sort(candidates.rbegin(), candidates.rend());
    for (const std::int64_t g : candidates) {
      if (g <= 1) continue;
      Split result{g, {}, {}};
      for (const auto& [atom, factor] : form.terms) {
        if (factor % g == 0) result.high.add(atom, factor / g);
        else result.low.add(atom, factor);
      }
      result.low.constant = floor_remainder(form.constant, g);
      result.high.constant = floor_quotient(form.constant, g);
      if (!result.high.is_constant() && common_quotient(result.low, g) == 0) return result;
    }
    return {};
  }

  Linear quotient_of(const Linear& form, std::int64_t c) const {
    if (c == 1) return form;
    Linear quotient, rest;
    for (const auto& [atom, factor] : form.terms) {
      if (factor % c == 0) quotient.add(atom, factor / c);
      else rest.add(atom, factor);
    }
    // A constant smaller than c stays as it is written: (i - 1) floordiv 4.
    quotient.constant = form.constant / c;
    rest.constant = form.constant % c;
    if (const auto common = common_quotient(rest, c)) {
      quotient.constant += *common;
      return quotient;
    }
    if (const Split parts = split(rest, c); parts.g > 1) {
      quotient.add(quotient_of(parts.high, c / parts.g));
      return quotient;
    }
    if (const Expr* atom = rest.lone_atom())
      if (const auto [inner, divisor] = by_constant(*atom, BinaryOperator::FloorDiv); divisor > 0) {
        // (x floordiv a + k) floordiv c = (x + k * a) floordiv (a * c)
        Linear dividend = linear(inner);
        std::int64_t together, shift;
        if (!__builtin_mul_overflow(divisor, c, &together) &&
            !__builtin_mul_overflow(rest.constant, divisor, &shift)) {
          dividend.constant = apply<BinaryOperator::Add>(dividend.constant, shift);
          quotient.add(quotient_of(dividend, together));
          return quotient;
        }
      }
    quotient.add(floor_div(to_expr(rest), Expr(c)), 1);
    return quotient;
  }

  Linear remainder_of(const Linear& form, std::int64_t c) const {
    if (c == 1) return {};
    Linear rest;
    for (const auto& [atom, factor] : form.terms)
      if (factor % c != 0) rest.add(atom, factor);
    rest.constant = form.constant % c;
    if (const auto common = common_quotient(rest, c)) {
      rest.constant -= *common * c;
      return rest;
    }
    if (const Split parts = split(rest, c); parts.g > 1) {
      // (g * x + s) floormod (g * d) = g * (x floormod d) + s
      Linear remainder;
      remainder.add(remainder_of(parts.high, c / parts.g), parts.g);
      remainder.add(parts.low);
      return remainder;
    }
    if (const Expr* atom = rest.lone_atom(); atom && rest.constant == 0)
      if (const auto [inner, divisor] = by_constant(*atom, BinaryOperator::FloorMod);
          divisor > 0 && divisor % c == 0)
        return remainder_of(linear(inner), c);
    Linear remainder;
    remainder.add(floor_mod(to_expr(rest), Expr(c)), 1);
    return remainder;
  }

  // The operand and positive constant of `x op constant`; 0 where it is something else.
  static std::pair<Expr, std::int64_t> by_constant(const Expr& e, BinaryOperator op) {
    const auto* binary = e.as<Binary>();
    if (!binary || binary->op != op) return {Expr(), 0};
    const auto divisor = as_integer(binary->right);
    return {binary->left, divisor && *divisor > 0 ? *divisor : 0};
  }

  // Quotients of the same sum, in whatever order its terms stand.
  static bool are_alike(const Expr& a, const Expr& b) {
    if (same(a, b)) return true;
    const auto [x, c] = by_constant(a, BinaryOperator::FloorDiv);
    const auto [y, d] = by_constant(b, BinaryOperator::FloorDiv);
    if (c == 0 || c != d) return false;
    Linear difference = linear(x);
    difference.add(linear(y), -1);
    return difference.is_constant() && difference.constant == 0;
  }

  // (x floordiv c) * c + x floormod c is x again; so is, of the place behind several divisions,
  // ((y + x floordiv c) floormod m) * c + x floormod c = (y * c + x) floormod (c * m).
  Expr rebuilt(Linear form) const {
    for (std::size_t k = 0; k < form.terms.size(); ++k) {
      const auto [remainder, factor] = form.terms[k];
      const auto [dividend, c] = by_constant(remainder, BinaryOperator::FloorMod);
      std::int64_t wanted;
      if (c == 0 || __builtin_mul_overflow(factor, c, &wanted) || !never_wraps(dividend)) continue;
      const Linear quotient = quotient_of(linear(dividend), c);
      const Expr* atom = quotient.lone_atom();
      if (!atom || quotient.constant != 0) continue;
      for (const auto& [partner, times] : form.terms) {
        if (times != wanted) continue;
        Linear whole;
        if (are_alike(partner, *atom)) whole = linear(dividend);
        else if (const auto around = remainder_around(partner, *atom, c, dividend)) whole = *around;
        else continue;
        const Expr gone = partner;
        form.add(gone, -wanted);
        form.add(remainder, -factor);
        form.add(whole, factor);
        return rebuilt(std::move(form));
      }
    }
    return to_expr(form);
  }

  // (y * c + x) floormod (c * m), where `partner` is (y + quotient) floormod m and the quotient
  // that of x, the dividend, by c; nullopt: it is not.
  std::optional<Linear> remainder_around(const Expr& partner, const Expr& quotient, std::int64_t c,
                                         const Expr& dividend) const {
    const auto [sum, m] = by_constant(partner, BinaryOperator::FloorMod);
    std::int64_t modulus;
    if (m == 0 || __builtin_mul_overflow(c, m, &modulus)) return std::nullopt;
    Linear rest = linear(sum);
    const auto found = std::ranges::find_if(rest.terms, [&](const auto& term) {
      return term.second == 1 && are_alike(term.first, quotient);
    });
    if (found == rest.terms.end()) return std::nullopt;
    const Expr taken = found->first;
    rest.add(taken, -1);
    Linear whole = linear(dividend);
    whole.add(rest, c);
    if (!never_wraps(to_expr(whole))) return std::nullopt;
    return remainder_of(whole, modulus);
  }

  const Ranges& ranges_;
};

}  // namespace

Expr simplify(const Expr& e, const Ranges& ranges) {
  const Simplifier simplifier(ranges);
  return rewrite(e, [&](const Expr& node) {
    Expr simpler = simplifier.node(node);
    // The node itself where nothing changed, so that callers see sharing.
    return simpler.defined() && same(simpler, node) ? Expr() : simpler;
  });
}

}  // namespace loopglass::expr
