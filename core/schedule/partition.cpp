#include "core/schedule/partition.h"

#include "core/dependence/independence.h"
#include "core/expr/simplify.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/loop/renamed_copy.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// What the initial value alone read is read no longer.
Stmt without_late_starts(const Stmt& stmt, const expr::Ranges& ranges,
                         const std::vector<Buffer>& buffers) {
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
    return loop::make(block->reads.empty() ? std::move(update)
                                           : with_regions(std::move(update), buffers));
  });
}

// An iteration of threads has a buffer for itself where nobody else uses it; once two parts do, it
// lies outside of both, and what was no clash may be one.
Result<void> check_threads(const std::string& call, const Func& func,
                           const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    std::vector<std::string> threads;
    walk(TRY(find_loop(func, part.variable)).loop().body, [&](const Stmt& stmt) {
      const For* node = as<For>(stmt);
      if (node && (node->kind == ForKind::Parallel || is_launch_axis(node->kind)))
        threads.push_back(node->variable);
    });
    for (const std::string& variable : threads)
      TRY_VOID(
          check_independent(call, func, TRY(find_loop(func, variable)), Private::PerIteration));
  }
  return {};
}

}  // namespace

Result<Func> partitioned(const std::string& call, const Func& func, const Path& loop,
                         const std::vector<Part>& parts, Names& names) {
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
    if (!first) {
      const Func there = with_body(func, replace(loop, run));
      run = without_late_starts(run, ranges_of(there), buffers_of(there));
    }
    loops.push_back(simplify_bindings(run, outer));
    begin = expr::simplify(begin + part.extent);
  }
  Func result = with_body(func, replace(loop, loop::sequence(std::move(loops))));
  TRY_VOID(check_threads(call, result, parts));
  return result;
}

}  // namespace loopglass::schedule
