#include "core/loop/flow.h"

#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/bounds.h"
#include "core/loop/ranges.h"
#include "core/support/overloaded.h"

#include <algorithm>
#include <set>

namespace loopglass::loop {

namespace {

// Equality of two expressions up to a one-to-one renaming of inner loop variables of equal extent.
class Renaming {
 public:
  Renaming(const Bindings& left, const Bindings& right) : left_(left), right_(right) {}

  bool match(const Expr& a, const Expr& b) {
    if (!a.defined() || !b.defined()) return a.defined() == b.defined();
    if (a.type() != b.type()) return false;
    const auto* x = a.as<expr::Variable>();
    const auto* y = b.as<expr::Variable>();
    if (x && y) return match_variables(x->name, y->name);
    return std::visit(
        Overloaded{
            [&](const expr::IntConstant& node) {
              const auto* other = b.as<expr::IntConstant>();
              return other && other->value == node.value;
            },
            [&](const expr::FloatConstant&) { return expr::same(a, b); },
            [&](const expr::Variable&) { return false; },
            [&](const expr::Load& node) {
              const auto* other = b.as<expr::Load>();
              return other && other->buffer == node.buffer && match(node.indices, other->indices);
            },
            [&](const expr::Unary& node) {
              const auto* other = b.as<expr::Unary>();
              return other && other->op == node.op && match(node.operand, other->operand);
            },
            [&](const expr::Binary& node) {
              const auto* other = b.as<expr::Binary>();
              return other && other->op == node.op && match(node.left, other->left) &&
                     match(node.right, other->right);
            },
            [&](const expr::Select& node) {
              const auto* other = b.as<expr::Select>();
              return other && match(node.condition, other->condition) &&
                     match(node.when_true, other->when_true) &&
                     match(node.when_false, other->when_false);
            },
            [&](const expr::Cast& node) {
              const auto* other = b.as<expr::Cast>();
              return other && match(node.operand, other->operand);
            },
        },
        a.node().value);
  }

  bool match(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!match(a[i], b[i])) return false;
    return true;
  }

 private:
  bool match_variables(const std::string& x, const std::string& y) {
    const auto left = left_.find(x), right = right_.find(y);
    if (left == left_.end() || right == right_.end())
      return left == left_.end() && right == right_.end() && x == y;
    if (!expr::same(left->second, right->second)) return false;
    const auto known = to_right_.find(x);
    if (known != to_right_.end()) return known->second == y;
    if (!taken_.insert(y).second) return false;
    to_right_[x] = y;
    return true;
  }

  const Bindings& left_;
  const Bindings& right_;
  std::map<std::string, std::string> to_right_;
  std::set<std::string> taken_;
};

std::vector<Expr> simplified(const std::vector<Expr>& list, const expr::Ranges& ranges) {
  std::vector<Expr> result;
  for (const Expr& e : list) result.push_back(expr::simplify(e, ranges));
  return result;
}

// A guard of a store that only keeps it inside its buffer: an element a read may name passes it.
bool only_clips(const Expr& guard, const std::vector<Expr>& indices, const Buffer& buffer,
                const expr::Ranges& ranges) {
  const auto* node = guard.as<expr::Binary>();
  if (!node || node->left.type() != DataType::Int64) return false;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Expr slack = expr::simplify(indices[d] - node->left, ranges);
    if (expr::as_integer(slack) != 0) continue;
    const auto limit = expr::as_integer(node->right), extent = expr::as_integer(buffer.shape[d]);
    if (node->op == expr::BinaryOperator::Less && limit && extent && *limit >= *extent) return true;
    if (node->op == expr::BinaryOperator::GreaterEqual && limit && *limit <= 0) return true;
  }
  return false;
}

// A guard that ends what is written along a dimension: the last index there that passes it.
struct Cut {
  std::size_t dimension;
  Expr last;  // of variables outside
};
std::optional<Cut> cut_by(const Expr& guard, const std::vector<Expr>& indices,
                          const Bindings& inner, const expr::Ranges& ranges) {
  const auto* node = guard.as<expr::Binary>();
  const auto limit = node ? expr::as_integer(node->right) : std::nullopt;
  if (!limit || node->op != expr::BinaryOperator::Less || node->left.type() != DataType::Int64)
    return std::nullopt;
  for (std::size_t d = 0; d < indices.size(); ++d) {
    const Expr base = expr::simplify(indices[d] - node->left, ranges);
    if (expr::has_load(base) ||
        std::ranges::any_of(expr::variables_of(base),
                            [&](const std::string& name) { return inner.contains(name); }))
      continue;
    return Cut{d, base + (*limit - 1)};
  }
  return std::nullopt;
}

bool covers(const Access& store, const Access& read, const Buffer& buffer,
            const expr::Ranges& outer) {
  expr::Ranges ranges = outer;
  for (const For* node : store.loops) add_range(ranges, node->variable, node->extent);
  for (const For* node : read.loops) add_range(ranges, node->variable, node->extent);
  const std::vector<Expr> written = simplified(store.indices, ranges);
  const std::vector<Expr> wanted = simplified(read.indices, ranges);

  // The same elements under other names?
  const Bindings store_inner = store.inner(), read_inner = read.inner();
  Renaming renaming(store_inner, read_inner);
  if (renaming.match(written, wanted)) {
    const bool guards_hold =
        std::all_of(store.guards.begin(), store.guards.end(), [&](const Expr& guard) {
          if (only_clips(guard, written, buffer, ranges)) return true;
          return std::any_of(read.guards.begin(), read.guards.end(),
                             [&](const Expr& known) { return renaming.match(guard, known); });
        });
    if (guards_hold) return true;
  }
  // Or a box, which guards may end sooner, that contains what is read?
  std::vector<Cut> cuts;
  for (const Expr& guard : store.guards) {
    if (only_clips(guard, written, buffer, ranges)) continue;
    auto cut = cut_by(guard, written, store_inner, ranges);
    if (!cut) return false;
    cuts.push_back(*std::move(cut));
  }
  if (!fills_its_box(written, store_inner, ranges)) return false;
  const auto never_less = [&](const Expr& greater, const Expr& less) {
    const auto range = expr::bounds(expr::simplify(greater - less, ranges), outer);
    return range && range->min >= 0;
  };
  for (std::size_t d = 0; d < written.size(); ++d) {
    const auto box = relax(written[d], store_inner, ranges);
    const auto need = relax(wanted[d], read_inner, ranges);
    if (!box) return false;
    const auto is_own = [&](const Cut& cut) { return cut.dimension == d; };
    const auto extent = expr::as_integer(buffer.shape[d]);
    const auto starts = expr::as_integer(box->min), ends = expr::as_integer(box->max);
    if (starts && ends && extent && *starts <= 0 && *ends >= *extent - 1 &&
        std::ranges::none_of(cuts, is_own))
      continue;  // all of it
    if (!need || !never_less(need->min, box->min) || !never_less(box->max, need->max)) return false;
    for (const Cut& cut : cuts)
      if (is_own(cut) && !never_less(cut.last, need->max)) return false;
  }
  return true;
}

}  // namespace

bool same_but_for_names(const std::vector<Expr>& left, const Bindings& left_extents,
                        const std::vector<Expr>& right, const Bindings& right_extents) {
  return Renaming(left_extents, right_extents).match(left, right);
}

bool flows_inside(const Stmt& root, const Buffer& buffer, const expr::Ranges& outer) {
  std::vector<Access> accesses = accesses_of(root);
  std::erase_if(accesses, [&](const Access& access) { return access.buffer != buffer.name; });
  return flows_inside(accesses, buffer, outer);
}

bool flows_inside(std::span<const Access> accesses, const Buffer& buffer,
                  const expr::Ranges& outer) {
  for (std::size_t i = 0; i < accesses.size(); ++i)
    if (!accesses[i].is_store && !was_written(accesses, i, buffer, outer)) return false;
  return true;
}

bool was_written(std::span<const Access> accesses, std::size_t read, const Buffer& buffer,
                 const expr::Ranges& outer) {
  const auto sums_inside = [](const Access& access) {
    return std::ranges::all_of(access.reduction_loops, [&](const std::string& loop) {
      return std::ranges::any_of(access.loops,
                                 [&](const For* node) { return node->variable == loop; });
    });
  };
  const Access& access = accesses[read];
  // A sum that starts from its own initial value inside is complete inside.
  if (access.of_own_sum && access.block && access.block->init && sums_inside(access)) return true;
  return std::ranges::any_of(accesses.first(read), [&](const Access& store) {
    return store.is_store && sums_inside(store) && covers(store, access, buffer, outer);
  });
}

}  // namespace loopglass::loop
