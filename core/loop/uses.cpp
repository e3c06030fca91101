#include "core/loop/uses.h"

#include "core/expr/rewrite.h"
#include "core/loop/walk.h"

namespace loopglass::loop {

bool loads(const Expr& e, const std::string& buffer) {
  bool found = false;
  expr::visit(e, [&](const Expr& node) {
    const auto* load = node.as<expr::Load>();
    found |= load && load->buffer == buffer;
  });
  return found;
}

void each_access(const Stmt& stmt, const std::function<void(const std::string&)>& visit) {
  walk(stmt, [&](const Stmt& inner) { each_own_access(inner, visit); });
}

void each_own_access(const Stmt& stmt, const std::function<void(const std::string&)>& visit) {
  if (const Store* store = as<Store>(stmt)) visit(store->buffer);
  each_expr(stmt, [&](const Expr& e) {
    expr::visit(e, [&](const Expr& node) {
      if (const auto* load = node.as<expr::Load>()) visit(load->buffer);
    });
  });
}

bool uses(const Stmt& stmt, const std::string& buffer) {
  bool found = false;
  each_access(stmt, [&](const std::string& touched) { found |= touched == buffer; });
  return found;
}

}  // namespace loopglass::loop
