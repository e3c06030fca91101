// pad_axis(block, axis, multiple): an axis runs on to a multiple, computing values that nobody
// reads, or adding zeros.
//
// Reads that could leave their buffer there give zero instead. This trades a few useless lanes for
// sums that are updated without a predicate, which is what keeps them in registers.
//
// An axis that is summed over may run on where what is added is sure to be zero: the sum is one of
// products, and each of their factors is zero there. One that is not zero might be infinite, or no
// number; of integers one factor is enough. A sum that starts from +0 is never -0, so that adding
// +0 to it leaves it what it is.
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/loop/uses.h"
#include "core/schedule/choices.h"
#include "core/schedule/growth.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

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

// Which loads of what moves with the axis give zero at a padded iteration.
enum class Guarded : std::uint8_t { OutOfBounds, All };

Block with_guarded_loads(const Func& func, const Block& block, const loop::IterVar& iter,
                         std::int64_t extent, std::int64_t padded, Guarded which) {
  expr::Ranges ranges;
  for (const loop::IterVar& other : block.iters) add_range(ranges, other.name, other.extent);
  ranges[iter.name] = {0, padded - 1};
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const std::string own = only_store(block)->buffer;
  const auto inside = [&](const expr::Load& load) {
    if (which == Guarded::All)
      return std::ranges::none_of(
          load.indices, [&](const Expr& index) { return expr::uses_variable(index, iter.name); });
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

// Products of loads, of those that are zero elsewhere, and of these as other types.
bool is_product(const Expr& e) {
  if (e.as<expr::Load>()) return true;
  if (const auto* select = e.as<expr::Select>())
    return is_product(select->when_true) && is_zero(select->when_false);
  if (const auto* cast = e.as<expr::Cast>()) return is_product(cast->operand);
  const auto* binary = e.as<expr::Binary>();
  return binary && binary->op == expr::BinaryOperator::Mul && is_product(binary->left) &&
         is_product(binary->right);
}

// What is added beyond the end of the axis has to be zero.
Result<void> check_adds_zero(const std::string& call, const Block& block,
                             const loop::IterVar& iter) {
  const loop::Store* store = only_store(block);
  const auto* sum = store ? store->value.as<expr::Binary>() : nullptr;
  const loop::Store* start = loop::as<loop::Store>(block.init);
  if (!sum || block.reducer != te::Reducer::Sum || block.predicate.defined() || !start ||
      !expr::same(start->value, te::identity(te::Reducer::Sum, store->value.type())))
    return illegal(
        call, block.name,
        fmt::format("block '{}' is no sum that starts from zero and takes every term", block.name));
  const auto is_own = [&](const Expr& e) {
    const auto* load = e.as<expr::Load>();
    return load && load->buffer == store->buffer;
  };
  const Expr& term = is_own(sum->left) ? sum->right : sum->left;
  if (!is_product(term))
    return illegal(call, block.name,
                   fmt::format("{} is no product of what is read", expr::to_string(term)));
  if (std::ranges::any_of(store->indices,
                          [&](const Expr& index) { return expr::uses_variable(index, iter.name); }))
    return illegal(
        call, block.name,
        fmt::format("'{}' says where it stores to, and is no axis of one sum", iter.name));
  if (loads(term, store->buffer))
    return illegal(call, block.name,
                   fmt::format("what it adds up reads '{}', which it stores to", store->buffer));
  bool all = true, any = false;
  expr::visit(term, [&](const Expr& node) {
    const auto* load = node.as<expr::Load>();
    if (!load) return;
    const bool moves = std::ranges::any_of(
        load->indices, [&](const Expr& index) { return expr::uses_variable(index, iter.name); });
    all &= moves;
    any |= moves;
  });
  if (!any || (is_float(store->value.type()) && !all))
    return illegal(call, block.name,
                   fmt::format("a factor of {} does not move with '{}': times zero it is zero only "
                               "if it is a finite number",
                               expr::to_string(term), iter.name));
  return {};
}

// An axis of nothing that is stored to: it takes longer, and nothing gets larger.
Result<Applied> with_longer_sum(const std::string& call, const Func& func, const Path& path,
                                std::size_t axis, std::int64_t padded) {
  Block block = path.block();
  loop::IterVar& iter = block.iters[axis];
  const std::int64_t extent = *expr::as_integer(iter.extent);
  TRY_VOID(check_adds_zero(call, block, iter));
  if (padded == extent) return Applied{func, {}, {}};
  const std::string variable = TRY(loop_of(call, func, path, iter));
  iter.extent = Expr(padded);
  block = with_regions(with_guarded_loads(func, block, iter, extent, padded, Guarded::All),
                       loop::buffers_of(func));
  const Func result = with_body(func, replace(path, loop::make(std::move(block))));
  const Path loop = TRY(find_loop(result, variable));
  For longer = loop.loop();
  longer.extent = Expr(padded);
  return Applied{with_body(result, replace(loop, loop::make(std::move(longer)))), {}, {}};
}

Result<Applied> apply_pad_axis(const Func& func, std::span<const Argument> arguments) {
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
  if (!extent)
    return illegal(call, name, fmt::format("axis '{}' has no constant extent", iter.name));
  const std::int64_t padded = (*extent + multiple - 1) / multiple * multiple;
  if (iter.reduction)
    return with_longer_sum(call, func, path, static_cast<std::size_t>(axis), padded);
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
  if (padded == *extent) return Applied{func, {}, {}};
  const std::string variable = TRY(loop_of(call, func, path, iter));
  std::vector<Buffer> buffers = loop::buffers_of(func);
  Buffer buffer = *loop::find_buffer(buffers, store->buffer);
  const std::vector<Expr> shape = buffer.shape;
  for (std::size_t d = 0; d < axes->size(); ++d)
    if ((*axes)[d] == static_cast<std::size_t>(axis)) buffer.shape[d] = Expr(padded);
  TRY_VOID(check_growth(call, buffer.name, shape, buffer.shape));
  iter.extent = Expr(padded);
  block = with_regions(with_guarded_loads(func, block, iter, *extent, padded, Guarded::OutOfBounds),
                       buffers);
  Func result = with_buffer(with_body(func, replace(path, loop::make(std::move(block)))), buffer);
  const Path loop = TRY(find_loop(result, variable));
  For longer = loop.loop();
  longer.extent = Expr(padded);
  return Applied{with_body(result, replace(loop, loop::make(std::move(longer)))), {}, {}};
}

}  // namespace

Primitive pad_axis() {
  return {"pad_axis",
          "Lengthens an axis of a block to a multiple. Of a spatial one the buffer that the block "
          "computes into grows with it, and what is computed there is never read; of one that is "
          "summed over the products added there are zero.",
          "for k in 10 { A[k] = ... }",
          "for k in 16 { A[k] = ... }",
          {{"block", ParameterKind::Block,
            "a block that computes into a buffer of the kernel's own, or a sum"},
           {"axis", ParameterKind::Integer, "which of its iterations, from 0", choices::axes()},
           {"multiple", ParameterKind::Integer, "the extent becomes a multiple of this",
            choices::these({4, 8, 16})}},
          apply_pad_axis};
}

}  // namespace loopglass::schedule
