#include "core/loop/bounds.h"

#include "core/expr/rewrite.h"

#include <algorithm>
#include <set>

namespace loopglass::loop {

using expr::BinaryOperator;
using expr::simplify;

namespace {

bool mentions(const Expr& e, const Bindings& inner) {
  const std::set<std::string> used = expr::variables_of(e);
  return std::any_of(used.begin(), used.end(),
                     [&](const std::string& name) { return inner.contains(name); });
}

class Relaxer {
 public:
  Relaxer(const Bindings& inner, const expr::Ranges& ranges) : inner_(inner), ranges_(ranges) {}

  // Inner variables the expression is affine in are peeled off first: that is exact even where one
  // occurs several times. What is left is taken apart by structure.
  std::optional<Bounds> relax(const Expr& original) {
    Expr rest = simplify(original, ranges_);
    Expr below(0), above(0);
    for (const std::string& name : expr::variables_of(rest)) {
      const auto extent = inner_.find(name);
      if (extent == inner_.end()) continue;
      const std::optional<std::int64_t> factor = expr::coefficient(rest, name);
      if (!factor) continue;
      rest = simplify(expr::substitute(rest, {{name, Expr(0)}}), ranges_);
      const Expr span = (extent->second - 1) * Expr(*factor);
      (*factor < 0 ? below : above) = (*factor < 0 ? below : above) + span;
    }
    Bounds base{rest, rest};
    if (mentions(rest, inner_)) {
      const std::optional<Bounds> structural = by_structure(rest);
      if (!structural) return std::nullopt;
      base = *structural;
    }
    return Bounds{simplify(base.min + below, ranges_), simplify(base.max + above, ranges_)};
  }

 private:
  std::optional<Bounds> by_structure(const Expr& e) {
    if (const auto* node = e.as<expr::Binary>()) return of_binary(*node);
    if (const auto* node = e.as<expr::Select>()) {
      const auto a = relax(node->when_true), b = relax(node->when_false);
      if (!a || !b) return std::nullopt;
      return Bounds{expr::min(a->min, b->min), expr::max(a->max, b->max)};
    }
    return std::nullopt;
  }

  std::optional<Bounds> of_binary(const expr::Binary& node) {
    const auto a = relax(node.left), b = relax(node.right);
    if (!a || !b) return std::nullopt;
    const std::optional<std::int64_t> constant = expr::as_integer(node.right);
    switch (node.op) {
      case BinaryOperator::Add: return Bounds{a->min + b->min, a->max + b->max};
      case BinaryOperator::Sub: return Bounds{a->min - b->max, a->max - b->min};
      case BinaryOperator::Min: return Bounds{expr::min(a->min, b->min), expr::min(a->max, b->max)};
      case BinaryOperator::Max: return Bounds{expr::max(a->min, b->min), expr::max(a->max, b->max)};
      case BinaryOperator::Mul:
        if (!constant) return std::nullopt;
        return *constant >= 0 ? Bounds{a->min * node.right, a->max * node.right}
                              : Bounds{a->max * node.right, a->min * node.right};
      case BinaryOperator::FloorDiv:
        if (!constant || *constant <= 0) return std::nullopt;
        return Bounds{floor_div(a->min, node.right), floor_div(a->max, node.right)};
      case BinaryOperator::FloorMod: {
        if (!constant || *constant <= 0) return std::nullopt;
        const Expr first = simplify(floor_div(a->min, node.right), ranges_);
        const Expr last = simplify(floor_div(a->max, node.right), ranges_);
        if (expr::same(first, last))
          return Bounds{a->min - first * node.right, a->max - first * node.right};
        return Bounds{Expr(0), Expr(*constant - 1)};
      }
      case BinaryOperator::Div:
      case BinaryOperator::Mod:
      case BinaryOperator::Pow:
      case BinaryOperator::And:
      case BinaryOperator::Or:
      case BinaryOperator::BitAnd:
      case BinaryOperator::BitOr:
      case BinaryOperator::BitXor:
      case BinaryOperator::ShiftLeft:
      case BinaryOperator::ShiftRight:
      case BinaryOperator::DotPairs:
      case BinaryOperator::DotQuads:
      case BinaryOperator::Equal:
      case BinaryOperator::NotEqual:
      case BinaryOperator::Less:
      case BinaryOperator::LessEqual:
      case BinaryOperator::Greater:
      case BinaryOperator::GreaterEqual: return std::nullopt;
    }
    return std::nullopt;
  }

  const Bindings& inner_;
  const expr::Ranges& ranges_;
};

}  // namespace

std::optional<Bounds> relax(const Expr& e, const Bindings& inner, const expr::Ranges& ranges) {
  if (e.type() != DataType::Int64) return std::nullopt;
  return Relaxer(inner, ranges).relax(e);
}

std::optional<Bounds> hull(const Bounds& a, const Bounds& b, const expr::Ranges& ranges) {
  const auto lower = expr::as_integer(simplify(a.min - b.min, ranges));
  const auto upper = expr::as_integer(simplify(a.max - b.max, ranges));
  if (!lower || !upper) return std::nullopt;
  return Bounds{*lower <= 0 ? a.min : b.min, *upper >= 0 ? a.max : b.max};
}

std::optional<std::int64_t> width(const Bounds& bounds, const expr::Ranges& ranges) {
  const Expr size = simplify(bounds.max - bounds.min + 1, ranges);
  if (const auto constant = expr::as_integer(size)) return constant;
  if (const auto interval = expr::bounds(size, ranges)) return interval->max;
  return std::nullopt;
}

bool fills_its_box(const std::vector<Expr>& indices, const Bindings& inner,
                   const expr::Ranges& ranges) {
  std::set<std::string> used_before;
  for (const Expr& index : indices) {
    const Expr e = simplify(index, ranges);
    std::vector<std::pair<std::int64_t, std::int64_t>> digits;  // |coefficient|, extent
    for (const std::string& name : expr::variables_of(e)) {
      const auto found = inner.find(name);
      if (found == inner.end()) continue;
      const auto extent = expr::as_integer(found->second);
      const auto factor = expr::coefficient(e, name);
      if (!factor || !used_before.insert(name).second) return false;
      if (extent && *extent == 1) continue;
      // A lone variable at stride 1 fills its dimension whatever its extent.
      if (!extent && (*factor != 1 || !digits.empty())) return false;
      digits.emplace_back(*factor < 0 ? -*factor : *factor, extent.value_or(0));
    }
    std::sort(digits.begin(), digits.end());
    std::int64_t expected = 1;
    for (const auto& [factor, extent] : digits) {
      if (factor != expected || (extent == 0 && digits.size() > 1)) return false;
      expected *= extent;
    }
  }
  return true;
}

}  // namespace loopglass::loop
