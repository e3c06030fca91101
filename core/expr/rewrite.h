// Walking and rewriting scalar expressions.
#pragma once

#include "core/expr/expr.h"

#include <functional>
#include <map>
#include <set>
#include <string>

namespace loopglass::expr {

// Calls `visit` on the operands of a node, in their order, however often they are shared.
void each_operand(const Expr& e, const std::function<void(const Expr&)>& visit);

// Calls `visit` on every node, operands before operators; once on a node that is shared.
void visit(const Expr& e, const std::function<void(const Expr&)>& visit);

// Bottom-up: operands are rewritten first, then `rewrite` is asked for the rebuilt node; an
// undefined Expr keeps it. Unchanged subtrees are shared with the original.
Expr rewrite(const Expr& e, const std::function<Expr(const Expr&)>& rewrite);

Expr substitute(const Expr& e, const std::map<std::string, Expr>& variables);
bool uses_variable(const Expr& e, const std::string& name);
std::set<std::string> variables_of(const Expr& e);
bool has_load(const Expr& e);

}  // namespace loopglass::expr
