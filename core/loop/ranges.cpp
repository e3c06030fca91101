#include "core/loop/ranges.h"

#include "core/expr/condition.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"

#include <algorithm>
#include <functional>

namespace loopglass::loop {

void add_range(expr::Ranges& ranges, const std::string& variable, const Expr& extent) {
  if (const auto value = expr::as_integer(extent); value && *value > 0)
    ranges[variable] = {0, *value - 1};
}

expr::Ranges ranges_of(const std::vector<const For*>& loops) {
  expr::Ranges ranges;
  for (const For* node : loops) add_range(ranges, node->variable, node->extent);
  return ranges;
}

expr::Ranges ranges_of(const Func& func) {
  expr::Ranges ranges;
  walk(func.body, [&](const Stmt& stmt) {
    const For* node = as<For>(stmt);
    if (!node) return;
    if (const auto extent = expr::bounds(node->extent, ranges))
      ranges[node->variable] = {0, std::max<std::int64_t>(0, extent->max - 1)};
  });
  return ranges;
}

namespace {

struct BindingSimplifier {
  expr::Ranges ranges;

  Stmt operator()(const Stmt& stmt) {
    if (!stmt) return stmt;
    // What stands inside a block speaks of its own variables only.
    if (const Block* block = as<Block>(stmt)) return simplified(*block);
    const For* loop = as<For>(stmt);
    if (loop) add_range(ranges, loop->variable, loop->extent);
    const Stmt result = map_children(stmt, std::ref(*this));
    if (loop) ranges.erase(loop->variable);
    return result;
  }

  Stmt simplified(Block block) const {
    for (IterVar& iter : block.iters) iter.binding = expr::simplify(iter.binding, ranges);
    if (block.predicate.defined()) {
      block.predicate = expr::simplify(block.predicate, ranges);
      if (expr::is_true(block.predicate)) block.predicate = Expr();
    }
    return make(std::move(block));
  }
};

}  // namespace

Stmt simplify_bindings(const Stmt& stmt, const expr::Ranges& outer) {
  return BindingSimplifier{outer}(stmt);
}

}  // namespace loopglass::loop
