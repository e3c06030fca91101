#include "core/schedule/nest.h"

namespace loopglass::schedule {

namespace {

struct Simplifier {
  expr::Ranges ranges;

  Stmt operator()(const Stmt& stmt) {
    return stmt ? std::visit([&](const auto& s) { return simplified(stmt, s); }, stmt->value)
                : stmt;
  }

  Stmt simplified(const Stmt&, For s) {
    add_range(ranges, s.variable, s.extent);
    s.body = (*this)(s.body);
    ranges.erase(s.variable);
    return loop::make(std::move(s));
  }

  // What stands inside a block speaks of its own variables only.
  Stmt simplified(const Stmt&, Block s) {
    for (loop::IterVar& iter : s.iters) iter.binding = expr::simplify(iter.binding, ranges);
    if (s.predicate.defined()) {
      s.predicate = expr::simplify(s.predicate, ranges);
      if (is_true(s.predicate)) s.predicate = Expr();
    }
    return loop::make(std::move(s));
  }

  Stmt simplified(const Stmt& stmt, const loop::Store&) { return stmt; }

  Stmt simplified(const Stmt&, loop::If s) {
    s.then_body = (*this)(s.then_body);
    s.else_body = (*this)(s.else_body);
    return loop::make(std::move(s));
  }

  Stmt simplified(const Stmt&, loop::Alloc s) {
    s.body = (*this)(s.body);
    return loop::make(std::move(s));
  }

  Stmt simplified(const Stmt&, loop::Seq s) {
    for (Stmt& statement : s.statements) statement = (*this)(statement);
    return loop::make(std::move(s));
  }
};

}  // namespace

Stmt simplify_bindings(const Stmt& stmt, const expr::Ranges& outer) {
  return Simplifier{outer}(stmt);
}

}  // namespace loopglass::schedule
