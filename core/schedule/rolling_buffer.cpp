// rolling_buffer(block, loop): what an iteration of a loop has in common with the one before it is
// kept, not computed again.
//
// A producer that compute_at has put into a loop of its consumer computes a window of rows in each
// iteration, and the windows of two iterations overlap where the consumer looks at neighbours. The
// rows of one window are kept, each in the place of its number modulo their count, and only those
// are computed that the iteration before has not: Halide's sliding window and storage folding (a
// store_root outside of a compute_at), TVM's rolling_buffer.
//
// Why it is right: within an iteration everything read was written before (flows_inside), so what
// is read lies in the window. Windows are boxes without holes that move by `step` rows in one
// dimension and in no other, so a row of this window below the end of the one before is in that one
// too, in every column. New rows take the places of those that the window has left.
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/bounds.h"
#include "core/loop/buffers.h"
#include "core/loop/flow.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/loop/reindex.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"
#include "core/support/counted.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Rows of a buffer's dimension that one iteration computes.
struct Window {
  std::size_t dimension;
  std::string iteration;  // of the block, that is the row
  Expr first;             // over the loops around
  std::int64_t rows, step;
};

Result<void> check_place(const std::string& call, const Func& func, const Path& path,
                         const std::string& variable, const std::string& buffer) {
  const Path loop = TRY(find_loop(func, variable));
  std::vector<const For*> around = loop.loops();
  around.push_back(&loop.loop());
  for (const For* node : around)
    if (node->kind != loop::ForKind::Serial)
      return illegal(call, node->variable,
                     fmt::format("'{}' is {}, and one iteration takes over from the one before",
                                 node->variable, loop::name(node->kind)));
  for (std::size_t i = static_cast<std::size_t>(path.index_of_loop(variable));
       i + 1 < path.statements.size(); ++i)
    if (!loop::as<For>(path.statements[i]) && !loop::as<loop::Seq>(path.statements[i]))
      return illegal(call, path.block().name,
                     "a condition or allocation stands between the loop and the block");
  std::size_t all = 0, below = 0;
  for (const Access& access : accesses_of(func.body)) all += access.buffer == buffer;
  for (const Access& access : accesses_of(loop.target())) below += access.buffer == buffer;
  const Buffer declared = *loop::find_buffer(loop::buffers_of(func), buffer);
  if (all != below || !flows_inside(loop.loop().body, declared, ranges_of(func)))
    return illegal(call, buffer,
                   fmt::format("'{}' is used outside '{}', or an iteration reads what it has not "
                               "written before",
                               buffer, variable),
                   "compute_at puts a producer into a loop of its consumer");
  return {};
}

// Whether a row runs must be the row's own affair, the same in every iteration.
Result<void> check_predicate(const std::string& call, const Block& block,
                             const loop::Store& store) {
  if (!block.predicate.defined()) return {};
  for (const std::string& used : expr::variables_of(block.predicate))
    if (std::ranges::none_of(store.indices,
                             [&](const Expr& index) { return expr::uses_variable(index, used); }))
      return illegal(call, block.name,
                     fmt::format("it runs only where {}, which the element stored to does not "
                                 "decide",
                                 expr::to_string(block.predicate)));
  return {};
}

Result<Window> window_of(const std::string& call, const Func& func, const Path& path,
                         const loop::Store& store, const std::vector<std::size_t>& axes,
                         const std::string& variable) {
  const Block& block = path.block();
  const Path loop = TRY(find_loop(func, variable));
  const expr::Ranges ranges = ranges_of(func);
  Bindings inner;
  for (const Access& access : accesses_of(loop.loop().body))
    if (access.is_store && access.block && access.block->name == block.name) inner = access.inner();
  std::vector<Expr> bindings;
  for (const std::size_t axis : axes)
    bindings.push_back(expr::simplify(block.iters[axis].binding, ranges));
  if (!fills_its_box(bindings, inner, ranges))
    return illegal(call, block.name,
                   fmt::format("what an iteration of '{}' computes of '{}' has holes", variable,
                               store.buffer));
  std::optional<Window> window;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const loop::IterVar& iter = block.iters[axes[d]];
    const auto step = expr::coefficient(bindings[d], variable);
    const auto bounds = relax(bindings[d], inner, ranges);
    const auto rows = bounds ? width(*bounds, ranges) : std::nullopt;
    if (!step || !rows)
      return illegal(call, block.name,
                     fmt::format("how much of '{}' an iteration of '{}' computes is not known: {}",
                                 store.buffer, variable, expr::to_string(bindings[d])));
    if (*step == 0) continue;
    if (window)
      return illegal(
          call, block.name,
          fmt::format("'{}' moves in more than one dimension of '{}'", variable, store.buffer));
    window = Window{d, iter.name, bounds->min, *rows, *step};
  }
  if (!window)
    return illegal(
        call, variable,
        fmt::format("every iteration of '{}' computes the same of '{}'", variable, store.buffer),
        "compute_at further out computes it once");
  if (window->step < 0 || window->step >= window->rows)
    return illegal(call, variable,
                   fmt::format("an iteration of '{}' computes {} of '{}' and moves on by {}: "
                               "nothing is there from the one before",
                               variable, counted(static_cast<std::size_t>(window->rows), "row"),
                               store.buffer, window->step));
  return *window;
}

Result<Applied> apply_rolling_buffer(const Func& func, std::span<const Argument> arguments) {
  const std::string &name = name_at(arguments, 0), &variable = name_at(arguments, 1);
  const std::string call = fmt::format("rolling_buffer({}, {})", name, variable);
  const Path path = TRY(find_block(func, name));
  const Block block = path.block();
  TRY(find_loop(func, variable));
  if (path.index_of_loop(variable) < 0)
    return illegal(call, variable,
                   fmt::format("loop '{}' is not around block '{}'", variable, name));
  const loop::Store* store = only_store(block);
  const auto axes = store ? plain_store_axes(block, *store) : std::nullopt;
  if (!axes)
    return illegal(
        call, name,
        fmt::format("block '{}' does not store each iteration to an element of its own", name));
  if (is_parameter(func, store->buffer))
    return illegal(call, store->buffer,
                   fmt::format("'{}' is the caller's, who wants all of it", store->buffer));
  TRY_VOID(check_lone_writer(call, func, block, "roll before decomposing a reduction"));
  TRY_VOID(check_predicate(call, block, *store));
  TRY_VOID(check_place(call, func, path, variable, store->buffer));
  const Window window = TRY(window_of(call, func, path, *store, *axes, variable));

  const std::string buffer = store->buffer;
  Block changed = block;
  const Expr row = expr::variable(window.iteration), loop = expr::variable(variable);
  const Expr is_new =
      loop < Expr(1) || row >= expr::simplify(window.first + Expr(window.rows - window.step));
  changed.predicate = expr::conjunction(changed.predicate, is_new);
  Func result = with_body(func, replace(path, loop::make(std::move(changed))));
  Buffer rolled = *loop::find_buffer(loop::buffers_of(func), buffer);
  rolled.shape[window.dimension] = Expr(window.rows);
  result = with_buffer(result, rolled);
  result.body = loop::reindex(result.body, buffer, [&](std::vector<Expr> indices) {
    indices[window.dimension] = floor_mod(indices[window.dimension], Expr(window.rows));
    return indices;
  });
  const std::vector<Buffer> after = loop::buffers_of(result);
  result.body = rewrite(result.body, [&](const Stmt& stmt) -> Stmt {
    const Block* user = loop::as<Block>(stmt);
    return user && (reads(*user, buffer) || writes(*user, buffer))
               ? with_annotations(loop::make(with_regions(*user, after)), stmt->annotations)
               : stmt;
  });
  return Applied{std::move(result), {}, {}};
}

}  // namespace

Primitive rolling_buffer() {
  return {
      "rolling_buffer",
      "Keeps what two iterations of a loop have in common: of the window that a producer computes "
      "in each, only the rows that are new are computed, into a buffer that goes round.",
      "for y in 8 { for p in 3 { P[y + p] = X[y + p] * 2 }  Z[y] = P[y] + P[y + 1] + P[y + 2] }",
      "for y in 8 { for p in 3 { P[(y + p) % 3] = ... where y < 1 or y + p >= y + 2 }  "
      "Z[y] = P[y % 3] + P[(y + 1) % 3] + P[(y + 2) % 3] }",
      {{"block", ParameterKind::Block, "the producer, in a loop of its consumer"},
       {"loop", ParameterKind::Loop, "the serial loop whose iterations overlap",
        choices::loops_around()}},
      apply_rolling_buffer};
}

}  // namespace loopglass::schedule
