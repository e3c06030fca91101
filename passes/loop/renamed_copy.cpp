#include "passes/loop/renamed_copy.h"

#include "core/expr/rewrite.h"
#include "core/loop/names.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"

#include <map>

namespace loopglass::passes {

using namespace loop;

Stmt renamed_copy(const Stmt& stmt, Names& names) {
  Bindings loops;
  std::map<std::string, std::string> buffers;
  loop::walk(stmt, [&](const Stmt& s) {
    if (const For* node = as<For>(s))
      loops[node->variable] = expr::variable(names.fresh(node->variable));
    if (const auto* node = as<loop::Alloc>(s))
      buffers[node->buffer.name] = names.fresh(node->buffer.name);
  });
  if (loops.empty() && buffers.empty()) return stmt;
  const auto renamed = [&](const std::string& buffer) {
    const auto found = buffers.find(buffer);
    return found == buffers.end() ? buffer : found->second;
  };
  const Stmt expressions = rewrite_exprs(stmt, [&](const Expr& e) {
    return expr::rewrite(expr::substitute(e, loops), [&](const Expr& node) -> Expr {
      const auto* load = node.as<expr::Load>();
      return load && buffers.contains(load->buffer)
                 ? expr::load(node.type(), renamed(load->buffer), load->indices)
                 : Expr();
    });
  });
  return rewrite(expressions, [&](const Stmt& s) -> Stmt {
    if (const For* node = as<For>(s)) {
      For copy = *node;
      copy.variable = loops.at(node->variable).as<expr::Variable>()->name;
      return make(std::move(copy));
    }
    if (const auto* node = as<loop::Alloc>(s)) {
      Buffer buffer = node->buffer;
      buffer.name = renamed(buffer.name);
      return make(loop::Alloc{std::move(buffer), node->body});
    }
    if (const auto* node = as<loop::Store>(s))
      return make(loop::Store{renamed(node->buffer), node->indices, node->value, node->origin});
    return s;
  });
}

}  // namespace loopglass::passes
