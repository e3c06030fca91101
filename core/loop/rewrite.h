// Rewriting statements: what primitives and loop passes are written with.
//
// Statements are immutable and shared, so a rewrite rebuilds the path from the root to the change
// and leaves every other subtree the same pointer.
#pragma once

#include "core/loop/func.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace loopglass::loop {

// What variables stand for.
using Bindings = std::map<std::string, Expr>;

// The same statement over other children; itself when they are the same pointers. A null child
// removes what it stood for: a loop, allocation, block or condition without a body disappears
// (null).
Stmt with_children(const Stmt& stmt, const std::vector<Stmt>& children);
// ... over what `change` makes of each.
Stmt map_children(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change);

// Bottom-up: inner statements first, then `change` is asked for the rebuilt statement and returns
// its replacement: itself to keep it, null to remove it.
Stmt rewrite(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change);
// Every expression of the tree, regions included, replaced by what `change` makes of it.
Stmt rewrite_exprs(const Stmt& stmt, const std::function<Expr(const Expr&)>& change);
// Replaces loop variables. Bodies of blocks, which see only their iteration variables, stay;
// bindings and predicates belong to the outside.
Stmt substitute_loops(const Stmt& stmt, const Bindings& variables);

// A null body is one that does nothing.
Func with_body(const Func& func, Stmt body);

}  // namespace loopglass::loop
