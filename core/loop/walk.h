// Walking and rewriting statements, and the regions that statements touch.
#pragma once

#include "core/loop/func.h"

#include <functional>

namespace loopglass::loop {

// Calls `visit` on every statement in program order, outer before inner; a block's init comes
// before its body.
void walk(const Stmt& stmt, const std::function<void(const Stmt&)>& visit);

// The expressions standing directly in this statement, not in statements inside it. Regions of a
// block are left out: they follow from the body.
void each_expr(const Stmt& stmt, const std::function<void(const Expr&)>& visit);

// Bottom-up: inner statements first, then `change` is asked for the rebuilt statement; null keeps
// it. Unchanged statements are shared with the original.
Stmt rewrite(const Stmt& stmt, const std::function<Stmt(const Stmt&)>& change);

// Every expression of the tree, regions included, replaced by what `change` makes of it.
Stmt rewrite_exprs(const Stmt& stmt, const std::function<Expr(const Expr&)>& change);

// Sets a block's reads and writes from its body and init. A buffer met at one element has a point
// region; accesses that differ by constants are merged into the range between them; a dimension
// where they differ otherwise, or whose index is itself loaded, is taken whole. What a reduction
// reads of its own output is left out. A guarded access may point outside its buffer.
void compute_regions(Block& block, const std::vector<Buffer>& buffers);

}  // namespace loopglass::loop
