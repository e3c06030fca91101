// Walking statements: what stands in a statement, and in what order.
#pragma once

#include "core/loop/func.h"

#include <functional>
#include <vector>

namespace loopglass::loop {

// In program order; a block's init comes before its body.
std::vector<Stmt> children(const Stmt& stmt);

// Calls `visit` on every statement in program order, outer before inner.
void walk(const Stmt& stmt, const std::function<void(const Stmt&)>& visit);

// How many statements stand in one another at the deepest place, sequences not counted. Nests are
// walked by recursion, so what is read or scheduled goes to this depth at most.
int depth(const Stmt& stmt);
inline constexpr int maximum_depth = 500;

// The expressions standing directly in this statement, not in statements inside it. Regions of a
// block are left out: they follow from the body.
void each_expr(const Stmt& stmt, const std::function<void(const Expr&)>& visit);

}  // namespace loopglass::loop
