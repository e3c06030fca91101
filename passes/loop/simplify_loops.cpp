#include "passes/loop/simplify_loops.h"

#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/support/overloaded.h"

#include <algorithm>

namespace loopglass::passes {

using namespace loop;

namespace {

class Simplifier {
 public:
  explicit Simplifier(expr::Ranges ranges) : ranges_(std::move(ranges)) {}

  Stmt run(const Stmt& stmt) {
    return std::visit(Overloaded{
                          [&](const For& node) { return loop(node, stmt); },
                          [&](const Block&) { return stmt; },
                          [&](const loop::Store& node) { return store(node, stmt); },
                          [&](const loop::If& node) { return branch(node, stmt); },
                          [&](const loop::Prefetch& node) { return prefetch(node); },
                          [&](const loop::Alloc&) { return over_simplified_children(stmt); },
                          [&](const loop::Seq&) { return over_simplified_children(stmt); },
                      },
                      stmt->value);
  }

 private:
  Stmt over_simplified_children(const Stmt& stmt) {
    return map_children(stmt, [&](const Stmt& child) { return run(child); });
  }

  Expr simple(const Expr& e) const { return expr::simplify(e, ranges_); }

  Stmt loop(const For& node, const Stmt& stmt) {
    const Expr extent = simple(node.extent);
    const auto count = expr::as_integer(extent);
    if (count && *count <= 0) return nullptr;
    if (count == 1) return run(substitute_loops(node.body, {{node.variable, Expr(0)}}));
    add_range(ranges_, node.variable, extent);
    Stmt body = run(node.body);
    ranges_.erase(node.variable);
    if (!body) return nullptr;
    if (const auto* shared = asked_by_all(node, body))
      return make(loop::If{shared->condition,
                           with_annotations(loop::over(node, shared->then_body), stmt->annotations),
                           nullptr});
    if (body == node.body && extent.get() == node.extent.get()) return stmt;
    For changed = node;
    changed.extent = extent;
    return with_annotations(loop::over(std::move(changed), body), stmt->annotations);
  }

  // A condition that is the same for all lanes, around all that they do; null: there is none.
  static const loop::If* asked_by_all(const For& lanes, const Stmt& body) {
    const auto* node = as<loop::If>(body);
    return lanes.kind == loop::ForKind::Vectorized && node && !node->else_body &&
                   !expr::has_load(node->condition) &&
                   !expr::uses_variable(node->condition, lanes.variable)
               ? node
               : nullptr;
  }

  Stmt store(const loop::Store& node, const Stmt& stmt) const {
    loop::Store copy = node;
    bool changed = false;
    const auto renew = [&](Expr& e) {
      Expr result = simple(e);
      changed |= !expr::same(result, e);
      e = std::move(result);
    };
    for (Expr& index : copy.indices) renew(index);
    renew(copy.value);
    return changed ? make(std::move(copy)) : stmt;
  }

  Stmt prefetch(loop::Prefetch node) const {
    for (Expr& index : node.indices) index = simple(index);
    return make(std::move(node));
  }

  Stmt branch(const loop::If& node, const Stmt& stmt) {
    // What an enclosing condition has established need not be asked again.
    Expr open;
    for (const Expr& part : expr::conjuncts(node.condition)) {
      const Expr test = simple(part);
      const auto holds = [&](const Expr& known) { return expr::same(known, test); };
      if (expr::is_true(test) || std::any_of(known_.begin(), known_.end(), holds)) continue;
      open = expr::is_false(test)                     ? test
             : open.defined() && expr::is_false(open) ? open
                                                      : expr::conjunction(open, test);
    }
    if (!open.defined()) return run(node.then_body);
    if (expr::is_false(open)) return node.else_body ? run(node.else_body) : nullptr;
    const std::size_t depth = known_.size();
    for (const Expr& part : expr::conjuncts(open)) known_.push_back(part);
    const Stmt then_body = run(node.then_body);
    known_.resize(depth);
    const Stmt else_body = node.else_body ? run(node.else_body) : nullptr;
    if (!then_body && !else_body) return nullptr;
    if (then_body == node.then_body && else_body == node.else_body &&
        expr::same(open, node.condition))
      return stmt;
    if (!then_body)
      return make(loop::If{expr::unary(expr::UnaryOperator::Not, open), else_body, nullptr});
    return make(loop::If{open, then_body, else_body});
  }

  expr::Ranges ranges_;
  std::vector<Expr> known_;
};

}  // namespace

Stmt simplified(const Stmt& stmt, const expr::Ranges& ranges) {
  return Simplifier(ranges).run(stmt);
}

Result<loop::Func> simplify_loops(const loop::Func& func, pass::Report&) {
  return with_body(func, simplified(func.body, {}));
}

}  // namespace loopglass::passes
