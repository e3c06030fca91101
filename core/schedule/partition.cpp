#include "core/schedule/partition.h"

#include "core/expr/simplify.h"
#include "core/loop/ranges.h"
#include "core/loop/renamed_copy.h"
#include "core/loop/rewrite.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

Stmt without_late_starts(const Stmt& stmt, const expr::Ranges& ranges) {
  return rewrite(stmt, [&](const Stmt& s) -> Stmt {
    const Block* block = loop::as<Block>(s);
    if (!block || !block->init) return s;
    const bool late =
        std::any_of(block->iters.begin(), block->iters.end(), [&](const loop::IterVar& iter) {
          const auto bounds = expr::bounds(iter.binding, ranges);
          return iter.reduction && bounds && bounds->min > 0;
        });
    if (!late) return s;
    Block update = *block;
    update.init = nullptr;
    return loop::make(std::move(update));
  });
}

}  // namespace

Func partitioned(const Func& func, const Path& loop, const std::vector<Part>& parts, Names& names) {
  const For& whole = loop.loop();
  const expr::Ranges outer = ranges_of(loop.loops());
  std::vector<Stmt> loops;
  Expr begin(0);
  for (const Part& part : parts) {
    const bool first = loops.empty();
    const Stmt body =
        substitute_loops(first ? whole.body : renamed_copy(whole.body, names),
                         {{whole.variable, expr::simplify(begin + expr::variable(part.variable))}});
    Stmt run = loop::make(For{part.variable, part.extent, loop::ForKind::Serial, body});
    if (!first) run = without_late_starts(run, ranges_of(with_body(func, replace(loop, run))));
    loops.push_back(simplify_bindings(run, outer));
    begin = expr::simplify(begin + part.extent);
  }
  return with_body(func, replace(loop, loop::sequence(std::move(loops))));
}

}  // namespace loopglass::schedule
