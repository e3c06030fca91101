// split_axis(block, axis, factor): an axis of a block becomes two.
//
// What is indexed by the quotient or by the remainder of an axis moves unevenly with it, as the
// inputs of a grouped convolution do with its output channels; with the two axes in its place it
// moves evenly with each. The block runs for the same iterations in the same order: loops stay,
// and come to be one axis each where they were split by the same factor before.
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<Applied> apply_split_axis(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::int64_t axis = integer_at(arguments, 1), factor = integer_at(arguments, 2);
  const std::string call = fmt::format("split_axis({}, {}, {})", name, axis, factor);
  const Path path = TRY(find_block(func, name));
  const Block& block = path.block();
  if (axis < 0 || axis >= std::ssize(block.iters))
    return illegal(
        call, name,
        fmt::format("block '{}' has {} axes, numbered from 0", name, block.iters.size()));
  const auto place = static_cast<std::size_t>(axis);
  const loop::IterVar iter = block.iters[place];
  const auto extent = expr::as_integer(iter.extent);
  if (!extent)
    return illegal(call, name, fmt::format("axis '{}' has no constant extent", iter.name));
  if (factor < 1 || *extent % factor != 0)
    return illegal(
        call, name,
        fmt::format("{} does not divide the extent {} of axis '{}'", factor, *extent, iter.name),
        "pad_axis makes it a multiple");

  Names names(func);
  const expr::Ranges around = loop::ranges_of(path.loops());
  const auto half = [&](const char* suffix, std::int64_t iterations, const Expr& binding) {
    return loop::IterVar{names.fresh(iter.name + suffix), Expr(iterations), iter.reduction,
                         expr::simplify(binding, around)};
  };
  const loop::IterVar outer = half("_o", *extent / factor, floor_div(iter.binding, Expr(factor))),
                      inner = half("_i", factor, floor_mod(iter.binding, Expr(factor)));
  Block halved = block;
  halved.iters[place] = outer;
  halved.iters.insert(halved.iters.begin() + axis + 1, inner);

  // An axis of one iteration would become its value, and what is stored by it no longer an axis.
  expr::Ranges ranges;
  for (const loop::IterVar& each : {outer, inner})
    if (expr::as_integer(each.extent) != 1) add_range(ranges, each.name, each.extent);
  const Bindings whole{
      {iter.name, expr::variable(outer.name) * Expr(factor) + expr::variable(inner.name)}};
  const auto by_halves = [&](const Expr& e) {
    return expr::simplify(expr::substitute(e, whole), ranges);
  };
  if (halved.predicate.defined()) halved.predicate = by_halves(halved.predicate);
  halved = with_regions(map_block_body(halved, by_halves), loop::buffers_of(func));
  return Applied{with_body(func, replace(path, loop::make(std::move(halved)))), {}, {}};
}

}  // namespace

Primitive split_axis() {
  return {"split_axis",
          "Makes two axes of one: where a block reads by the quotient or the remainder of an axis, "
          "as a grouped convolution does, each of the two moves evenly through what it reads. "
          "Loops stay as they are.",
          "block Y(c = c_o * 4 + c_i) { Y[c] = X[c floordiv 4] }",
          "block Y(c_o = c_o, c_i = c_i) { Y[c_o * 4 + c_i] = X[c_o] }",
          {{"block", ParameterKind::Block, "any block"},
           {"axis", ParameterKind::Integer, "which of its iterations, from 0", choices::axes()},
           {"factor", ParameterKind::Integer, "extent of the inner axis, a divisor of the axis'",
            choices::these({2, 4, 8})}},
          apply_split_axis};
}

}  // namespace loopglass::schedule
