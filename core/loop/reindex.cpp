#include "core/loop/reindex.h"

#include "core/expr/rewrite.h"
#include "core/loop/rewrite.h"

namespace loopglass::loop {

Stmt reindex(const Stmt& stmt, const std::string& buffer,
             const std::function<std::vector<Expr>(std::vector<Expr>)>& change) {
  const Stmt loads = rewrite_exprs(stmt, [&](const Expr& e) {
    return expr::rewrite(e, [&](const Expr& node) -> Expr {
      const auto* load = node.as<expr::Load>();
      return load && load->buffer == buffer ? expr::load(node.type(), buffer, change(load->indices))
                                            : Expr();
    });
  });
  return rewrite(loads, [&](const Stmt& node) -> Stmt {
    if (const Prefetch* hint = as<Prefetch>(node); hint && hint->buffer == buffer)
      return make(Prefetch{buffer, change(hint->indices)});
    const Store* store = as<Store>(node);
    if (!store || store->buffer != buffer) return node;
    Store there = *store;
    there.indices = change(std::move(there.indices));
    return make(std::move(there));
  });
}

}  // namespace loopglass::loop
