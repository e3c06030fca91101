#include "core/loop/walk.h"

#include "core/support/overloaded.h"

#include <algorithm>

namespace loopglass::loop {

namespace {

template <class Visit>
void each_child(const StmtNode& node, const Visit& visit) {
  std::visit(Overloaded{
                 [&](const For& s) { visit(s.body); },
                 [&](const Block& s) {
                   if (s.init) visit(s.init);
                   visit(s.body);
                 },
                 [&](const Store&) {},
                 [&](const Prefetch&) {},
                 [&](const If& s) {
                   visit(s.then_body);
                   if (s.else_body) visit(s.else_body);
                 },
                 [&](const Alloc& s) { visit(s.body); },
                 [&](const Seq& s) {
                   for (const Stmt& child : s.statements) visit(child);
                 },
             },
             node.value);
}

}  // namespace

std::vector<Stmt> children(const Stmt& stmt) {
  std::vector<Stmt> result;
  each_child(*stmt, [&](const Stmt& child) { result.push_back(child); });
  return result;
}

int depth(const Stmt& stmt) {
  if (!stmt) return 0;
  int inside = 0;
  each_child(*stmt, [&](const Stmt& child) { inside = std::max(inside, depth(child)); });
  return inside + (std::holds_alternative<Seq>(stmt->value) ? 0 : 1);
}

void walk(const Stmt& stmt, const std::function<void(const Stmt&)>& visit) {
  if (!stmt) return;
  visit(stmt);
  each_child(*stmt, [&](const Stmt& child) { walk(child, visit); });
}

void each_expr(const Stmt& stmt, const std::function<void(const Expr&)>& visit) {
  std::visit(Overloaded{
                 [&](const For& s) { visit(s.extent); },
                 [&](const Block& s) {
                   for (const IterVar& iter : s.iters) visit(iter.extent), visit(iter.binding);
                   if (s.predicate.defined()) visit(s.predicate);
                 },
                 [&](const Store& s) {
                   for (const Expr& index : s.indices) visit(index);
                   visit(s.value);
                 },
                 [&](const If& s) { visit(s.condition); },
                 [&](const Alloc& s) {
                   for (const Expr& extent : s.buffer.shape) visit(extent);
                 },
                 [&](const Seq&) {},
                 [&](const Prefetch& s) {
                   for (const Expr& index : s.indices) visit(index);
                 },
             },
             stmt->value);
}

}  // namespace loopglass::loop
