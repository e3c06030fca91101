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

bool uses(const Stmt& stmt, const std::string& buffer) {
  bool found = false;
  walk(stmt, [&](const Stmt& inner) {
    if (const Store* store = as<Store>(inner)) found |= store->buffer == buffer;
    each_expr(inner, [&](const Expr& e) { found |= loads(e, buffer); });
  });
  return found;
}

}  // namespace loopglass::loop
