// compute_inline(block): an elementwise producer disappears into its consumers.
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<Applied> apply_compute_inline(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("compute_inline({})", name);
  const Path source = TRY(find_block(func, name));
  const Block block = source.block();
  const std::vector<std::size_t> axes = TRY(check_movable(call, func, block));
  TRY_VOID(check_sources_final(call, func, block));
  if (has_reduction(block) || block.init)
    return illegal(
        call, name,
        fmt::format("'{}' is a reduction, which has no value for one element alone", name));
  if (block.predicate.defined())
    return illegal(call, name, fmt::format("block '{}' does not run for every element", name),
                   "inline before splitting its loops");
  const loop::Store store = *only_store(block);
  const bool own =
      std::any_of(block.iters.begin(), block.iters.end(), [&](const loop::IterVar& iter) {
        return expr::uses_variable(store.value, iter.name) &&
               std::find(axes.begin(), axes.end(),
                         static_cast<std::size_t>(&iter - block.iters.data())) == axes.end();
      });
  if (own)
    return illegal(call, name, "its value depends on an iteration that its element does not name");
  if (readers_of(func.body, store.buffer).empty())
    return illegal(call, name, fmt::format("nothing reads '{}'", store.buffer));

  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const auto value_of = [&](const Expr& e) -> Expr {
    const auto* load = e.as<expr::Load>();
    if (!load || load->buffer != store.buffer) return {};
    Bindings at;
    for (std::size_t d = 0; d < axes.size(); ++d) at[block.iters[axes[d]].name] = load->indices[d];
    return expr::substitute(store.value, at);
  };
  const Func removed = without_allocation(with_body(func, without_block(source)), store.buffer);
  const Stmt body = rewrite(removed.body, [&](const Stmt& stmt) -> Stmt {
    const Block* consumer = loop::as<Block>(stmt);
    if (!consumer || !reads(*consumer, store.buffer)) return stmt;
    Block changed =
        map_block_body(*consumer, [&](const Expr& e) { return expr::rewrite(e, value_of); });
    merge_origin(changed, block.origin);
    return loop::make(with_regions(std::move(changed), buffers));
  });
  return Applied{with_body(removed, body), {}, {}};
}

}  // namespace

Primitive compute_inline() {
  return {"compute_inline",
          "Puts the value an elementwise block computes in place of every read of it, and removes "
          "the block.",
          "for i in 8 { A[i] = X[i] + 1 }  for j in 8 { B[j] = A[j] * 2 }",
          "for j in 8 { B[j] = (X[j] + 1) * 2 }",
          {{"block", ParameterKind::Block, "an elementwise block"}},
          apply_compute_inline};
}

}  // namespace loopglass::schedule
