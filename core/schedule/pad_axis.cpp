// pad_axis(block, axis, multiple): an axis runs on to a multiple, computing values that nobody
// reads.
//
// Reads that could leave their buffer there give zero instead. This trades a few useless lanes for
// sums that are updated without a predicate, which is what keeps them in registers.
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/growth.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The loop that is the axis and nothing else.
Result<std::string> loop_of(const std::string& call, const Func& func, const Path& path,
                            const loop::IterVar& iter) {
  const auto* variable = iter.binding.as<expr::Variable>();
  if (!variable)
    return illegal(call, path.block().name,
                   fmt::format("axis '{}' is no longer one loop", iter.name),
                   "pad before splitting or fusing");
  const Path loop = TRY(find_loop(func, variable->name));
  const std::vector<Access> inside = accesses_of(loop.target());
  if (blocks_of(loop.target()).size() != 1 ||
      std::any_of(inside.begin(), inside.end(),
                  [](const Access& access) { return !access.block_body; }))
    return illegal(call, variable->name,
                   fmt::format("other blocks or conditions run in loop '{}' too", variable->name));
  for (const loop::IterVar& other : path.block().iters)
    if (other.name != iter.name && expr::uses_variable(other.binding, variable->name))
      return illegal(call, variable->name,
                     fmt::format("loop '{}' drives axis '{}' too", variable->name, other.name));
  if (loop.loop().kind != loop::ForKind::Serial || !expr::same(loop.loop().extent, iter.extent))
    return illegal(
        call, variable->name,
        fmt::format("loop '{}' does not simply walk axis '{}'", variable->name, iter.name));
  return variable->name;
}

// Where an operand may have nothing at a padded iteration, zero is read instead.
Block with_guarded_loads(const Func& func, const Block& block, const loop::IterVar& iter,
                         std::int64_t extent, std::int64_t padded) {
  expr::Ranges ranges;
  for (const loop::IterVar& other : block.iters) add_range(ranges, other.name, other.extent);
  ranges[iter.name] = {0, padded - 1};
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const std::string own = only_store(block)->buffer;
  const auto inside = [&](const expr::Load& load) {
    const Buffer* buffer = loop::find_buffer(buffers, load.buffer);
    for (std::size_t d = 0; d < load.indices.size(); ++d) {
      if (!expr::uses_variable(load.indices[d], iter.name)) continue;
      const auto bounds = expr::bounds(load.indices[d], ranges);
      const auto size = expr::as_integer(buffer->shape[d]);
      if (!bounds || !size || bounds->min < 0 || bounds->max >= *size) return false;
    }
    return true;
  };
  return map_block_body(block, [&](const Expr& e) {
    return expr::rewrite(e, [&](const Expr& node) -> Expr {
      const auto* load = node.as<expr::Load>();
      if (!load || load->buffer == own || inside(*load)) return {};
      return expr::select(expr::variable(iter.name) < Expr(extent), node,
                          expr::constant(node.type(), 0));
    });
  });
}

Result<Applied> apply(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::int64_t axis = integer_at(arguments, 1), multiple = integer_at(arguments, 2);
  const std::string call = fmt::format("pad_axis({}, {}, {})", name, axis, multiple);
  const Path path = TRY(find_block(func, name));
  Block block = path.block();
  if (axis < 0 || axis >= static_cast<std::int64_t>(block.iters.size()))
    return illegal(
        call, name,
        fmt::format("block '{}' has {} axes, numbered from 0", name, block.iters.size()));
  if (multiple < 1 || multiple > (1 << 20))
    return illegal(call, name, "the multiple is not in 1 to 2^20");
  loop::IterVar& iter = block.iters[static_cast<std::size_t>(axis)];
  const auto extent = expr::as_integer(iter.extent);
  if (iter.reduction || !extent)
    return illegal(call, name,
                   fmt::format("axis '{}' is not a spatial one of constant extent", iter.name));
  const loop::Store* store = only_store(block);
  const auto axes = store ? plain_store_axes(block, *store) : std::nullopt;
  // Were the axis in no index, what is computed past its end would be stored over what is not.
  if (!axes || block.predicate.defined() ||
      std::find(axes->begin(), axes->end(), static_cast<std::size_t>(axis)) == axes->end())
    return illegal(
        call, name,
        fmt::format("block '{}' does not store each iteration to an element of its own", name));
  if (is_parameter(func, store->buffer) || writers_of(func.body, store->buffer).size() != 1)
    return illegal(call, store->buffer, fmt::format("'{}' cannot be made larger", store->buffer),
                   "cache_write the block first, so that it computes into a buffer of its own");
  const std::int64_t padded = (*extent + multiple - 1) / multiple * multiple;
  if (padded == *extent) return Applied{func, {}, {}};
  const std::string variable = TRY(loop_of(call, func, path, iter));
  std::vector<Buffer> buffers = loop::buffers_of(func);
  Buffer buffer = *loop::find_buffer(buffers, store->buffer);
  const std::vector<Expr> shape = buffer.shape;
  for (std::size_t d = 0; d < axes->size(); ++d)
    if ((*axes)[d] == static_cast<std::size_t>(axis)) buffer.shape[d] = Expr(padded);
  TRY_VOID(check_growth(call, buffer.name, shape, buffer.shape));
  iter.extent = Expr(padded);
  block = with_regions(with_guarded_loads(func, block, iter, *extent, padded), buffers);
  Func result = with_buffer(with_body(func, replace(path, loop::make(std::move(block)))), buffer);
  const Path loop = TRY(find_loop(result, variable));
  For longer = loop.loop();
  longer.extent = Expr(padded);
  return Applied{with_body(result, replace(loop, loop::make(std::move(longer)))), {}, {}};
}

}  // namespace

Primitive pad_axis() {
  return {
      "pad_axis",
      "Lengthens a spatial axis of a block, and the buffer it computes into, to a multiple; what "
      "is computed "
      "there is never read.",
      "for k in 10 { A[k] = ... }",
      "for k in 16 { A[k] = ... }",
      {{"block", ParameterKind::Block, "a block that computes into a buffer of the kernel's own"},
       {"axis", ParameterKind::Integer, "which of its iterations, from 0", choices::axes()},
       {"multiple", ParameterKind::Integer, "the extent becomes a multiple of this",
        choices::these({4, 8, 16})}},
      apply};
}

}  // namespace loopglass::schedule
