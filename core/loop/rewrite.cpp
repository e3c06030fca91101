#include "core/loop/rewrite.h"

#include "core/expr/rewrite.h"
#include "core/loop/walk.h"
#include "core/support/overloaded.h"

#include <utility>

namespace loopglass::loop {

namespace {

Stmt over_kids(const Stmt& stmt, std::vector<Stmt> kids) {
  return std::visit(Overloaded{
                        [&](const For& node) -> Stmt {
                          if (!kids[0]) return nullptr;
                          For copy = node;
                          copy.body = kids[0];
                          return make(std::move(copy));
                        },
                        [&](const Block& node) -> Stmt {
                          if (!kids.back()) return nullptr;
                          Block copy = node;
                          copy.init = node.init ? kids[0] : nullptr;
                          copy.body = kids.back();
                          return make(std::move(copy));
                        },
                        [&](const Store&) -> Stmt { return stmt; },
                        [&](const Prefetch&) -> Stmt { return stmt; },
                        [&](const If& node) -> Stmt {
                          If copy = node;
                          copy.then_body = kids[0];
                          copy.else_body = node.else_body ? kids[1] : nullptr;
                          if (!copy.then_body && !copy.else_body) return nullptr;
                          if (!copy.then_body) {
                            copy.condition = expr::unary(expr::UnaryOperator::Not, copy.condition);
                            std::swap(copy.then_body, copy.else_body);
                          }
                          return make(std::move(copy));
                        },
                        [&](const Alloc& node) -> Stmt {
                          if (!kids[0]) return nullptr;
                          Alloc copy = node;
                          copy.body = kids[0];
                          return make(std::move(copy));
                        },
                        [&](const Seq&) -> Stmt {
                          std::erase(kids, nullptr);
                          return kids.empty() ? nullptr : sequence(std::move(kids));
                        },
                    },
                    stmt->value);
}

// The same statement, with what is noted of it, over other children.
Stmt over(const Stmt& stmt, std::vector<Stmt> kids) {
  const Stmt rebuilt = over_kids(stmt, std::move(kids));
  // A sequence of which one is left is that one.
  const bool is_same = rebuilt && rebuilt->value.index() == stmt->value.index();
  return is_same ? with_annotations(rebuilt, stmt->annotations) : rebuilt;
}

using Change = std::function<Expr(const Expr&)>;
enum class Regions : bool { Stay, Change };

// The expressions of the statement itself, children untouched.
Stmt with_own_exprs(const Stmt& stmt, Regions regions, const Change& change) {
  bool changed = false;
  const auto renew = [&](Expr& e) {
    if (!e.defined()) return;
    Expr result = change(e);
    changed |= result.get() != e.get();
    e = std::move(result);
  };
  const auto renew_all = [&](std::vector<Expr>& list) {
    for (Expr& e : list) renew(e);
  };
  const auto renew_regions = [&](std::vector<Region>& list) {
    for (Region& region : list)
      for (Range& range : region.ranges) renew(range.min), renew(range.extent);
  };
  StmtNode copy = *stmt;
  std::visit(Overloaded{
                 [&](For& s) { renew(s.extent); },
                 [&](Block& s) {
                   for (IterVar& iter : s.iters) renew(iter.extent), renew(iter.binding);
                   renew(s.predicate);
                   if (regions == Regions::Change) renew_regions(s.reads), renew_regions(s.writes);
                 },
                 [&](Store& s) { renew_all(s.indices), renew(s.value); },
                 [&](If& s) { renew(s.condition); },
                 [&](Alloc& s) { renew_all(s.buffer.shape); },
                 [&](Seq&) {},
                 [&](Prefetch& s) { renew_all(s.indices); },
             },
             copy.value);
  return changed ? std::make_shared<const StmtNode>(std::move(copy)) : stmt;
}

}  // namespace

Stmt with_children(const Stmt& stmt, const std::vector<Stmt>& kids) {
  return children(stmt) == kids ? stmt : over(stmt, kids);
}

Stmt map_children(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change) {
  std::vector<Stmt> kids = children(stmt);
  bool changed = false;
  for (Stmt& child : kids) {
    Stmt result = change(child);
    changed |= result != child;
    child = std::move(result);
  }
  return changed ? over(stmt, std::move(kids)) : stmt;
}

Stmt rewrite(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change) {
  if (!stmt) return stmt;
  const Stmt rebuilt =
      map_children(stmt, [&](const Stmt& child) { return rewrite(child, change); });
  return rebuilt ? change(rebuilt) : rebuilt;
}

Stmt rewrite_exprs(const Stmt& stmt, const Change& change) {
  return rewrite(stmt,
                 [&](const Stmt& inner) { return with_own_exprs(inner, Regions::Change, change); });
}

Stmt substitute_loops(const Stmt& stmt, const Bindings& variables) {
  if (!stmt) return stmt;
  const Stmt own = with_own_exprs(stmt, Regions::Stay,
                                  [&](const Expr& e) { return expr::substitute(e, variables); });
  if (as<Block>(own)) return own;
  return map_children(own, [&](const Stmt& child) { return substitute_loops(child, variables); });
}

Func with_body(const Func& func, Stmt body) {
  Func result = func;
  result.body = body ? std::move(body) : make(Seq{});
  return result;
}

}  // namespace loopglass::loop
