// transform_layout(buffer, map): the elements of a buffer in another order.
//
// A constant parameter is rearranged once, before the kernel ever runs (loop::Packing), so the new
// order costs nothing; a buffer of the kernel's own is simply written and read at the new places.
// Padding is never read through the old indices: every access goes through the map.
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/regions.h"
#include "core/loop/reindex.h"
#include "core/loop/rewrite.h"
#include "core/loop/strides.h"
#include "core/schedule/choices.h"
#include "core/schedule/growth.h"
#include "core/schedule/layout_map.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<void> check_buffer(const std::string& call, const Func& func, const Buffer& buffer,
                          const LayoutMap& map) {
  if (is_parameter(func, buffer.name) && buffer.role != loop::Role::Constant)
    return illegal(call, buffer.name,
                   fmt::format("'{}' is an {} of the kernel: its order is the caller's",
                               buffer.name, loop::name(buffer.role)),
                   "only constants and the kernel's own buffers can be rearranged");
  if (buffer.packing)
    return illegal(call, buffer.name, fmt::format("'{}' is rearranged already", buffer.name));
  if (map.old_rank != buffer.shape.size())
    return illegal(call, buffer.name,
                   fmt::format("the map names {} dimensions, '{}' has {}", map.old_rank,
                               buffer.name, buffer.shape.size()));
  for (const LayoutTerm& term : map.terms)
    for (const std::size_t dimension : term.dimensions)
      if (!expr::as_integer(buffer.shape[dimension]) &&
          (term.kind != LayoutTerm::Kind::Plain || buffer.role == loop::Role::Constant))
        return illegal(
            call, buffer.name,
            fmt::format("'{}' has the symbolic extent {}, which can only change its place",
                        buffer.name, expr::to_string(buffer.shape[dimension])));
  return {};
}

// A bound on the padded size, so that a careless factor does not exhaust memory.
Result<Applied> apply_transform_layout(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("transform_layout({}, \"{}\")", name, name_at(arguments, 1));
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Buffer* known = loop::find_buffer(buffers, name);
  if (!known)
    return fail(Code::ScheduleHandleUnknown,
                fmt::format("'{}' has no buffer named '{}'", func.name, name), name);
  const auto map = parse_layout_map(name_at(arguments, 1));
  if (!map) return illegal(call, name, map.error().what, map.error().where);
  TRY_VOID(check_buffer(call, func, *known, *map));

  const std::vector<Expr> old_shape = known->shape;
  Buffer buffer = *known;
  buffer.shape = map->shape(old_shape);
  TRY_VOID(check_growth(call, name, old_shape, buffer.shape));
  if (buffer.role == loop::Role::Constant) {
    loop::Packing packing;
    std::vector<Expr> indices;
    for (std::size_t d = 0; d < buffer.shape.size(); ++d)
      indices.push_back(expr::variable(fmt::format("d{}", d)));
    for (const Expr& extent : old_shape)
      packing.original_shape.push_back(*expr::as_integer(extent));
    packing.source = map->backward(indices, old_shape);
    buffer.packing = std::move(packing);
  }

  // What is noted of its rows is not of what are rows now.
  Func result = with_stride_rule(with_buffer(func, buffer), name, {});
  const std::vector<Buffer> after = loop::buffers_of(result);
  const Stmt moved = loop::reindex(result.body, name, [&](const std::vector<Expr>& old) {
    return map->forward(old, old_shape);
  });
  result.body = rewrite(moved, [&](const Stmt& stmt) -> Stmt {
    const Block* block = loop::as<Block>(stmt);
    return block && (reads(*block, name) || writes(*block, name))
               ? loop::make(with_regions(*block, after))
               : stmt;
  });
  return Applied{std::move(result), {}, {}};
}

}  // namespace

Primitive transform_layout() {
  return {
      "transform_layout",
      "Stores a constant, or a buffer of the kernel's own, in another order, padded to "
      "multiples where a "
      "dimension is split.",
      "W: float32[64, 3, 7, 7]",
      "W: float32[2, 3, 7, 7, 32] after \"k c r s -> k/32 c r s k%32\"",
      {{"buffer", ParameterKind::Buffer, "a constant or an allocation", choices::rearrangeable()},
       {"map", ParameterKind::Name,
        "old dimensions -> new ones: name, name/f with name%f, or (several names)",
        choices::layouts()}},
      apply_transform_layout};
}

}  // namespace loopglass::schedule
