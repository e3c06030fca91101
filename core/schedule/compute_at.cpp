// compute_at(block, loop): a producer moves into a loop of its consumers, computing per iteration
// only what they read there.
#include "core/dependence/coverage.h"
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/bounds.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/initial_block.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Per dimension, the elements that the consumers below `target` read in one of its iterations; the
// whole dimension where that is not understood.
std::vector<Bounds> needed(const Path& target, const Buffer& buffer) {
  std::vector<std::optional<Bounds>> region(buffer.shape.size());
  std::vector<bool> whole(buffer.shape.size(), false);
  for (const Access& access : accesses_of(target.loop().body)) {
    if (access.buffer != buffer.name || access.is_store) continue;
    expr::Ranges ranges = ranges_of(target.loops());
    add_range(ranges, target.loop().variable, target.loop().extent);
    const expr::Ranges outer = ranges;
    for (const For* node : access.loops) add_range(ranges, node->variable, node->extent);
    for (std::size_t d = 0; d < region.size(); ++d) {
      const auto bounds = relax(access.indices[d], access.inner(), ranges);
      if (!bounds) {
        whole[d] = true;
      } else if (!region[d]) {
        region[d] = bounds;
      } else {
        region[d] = hull(*region[d], *bounds, outer);
        whole[d] = whole[d] || !region[d];
        if (!region[d]) region[d] = bounds;
      }
    }
  }
  std::vector<Bounds> result;
  for (std::size_t d = 0; d < region.size(); ++d) {
    if (whole[d] || !region[d]) result.push_back({Expr(0), buffer.shape[d] - 1});
    else result.push_back(*region[d]);
  }
  return result;
}

Result<void> check_scalar_place(const std::string& call, const Path& target) {
  for (const For* outer : target.loops())
    if (outer->kind == loop::ForKind::Vectorized)
      return illegal(call, outer->variable,
                     fmt::format("'{}' around the place is vectorized", outer->variable));
  if (target.loop().kind == loop::ForKind::Vectorized)
    return illegal(call, target.loop().variable, "the loop is vectorized");
  return {};
}

Result<void> check_consumers(const std::string& call, const Func& func, const Path& target,
                             const Block& block, const std::string& buffer) {
  const std::vector<const Block*> inside = readers_of(target.target(), buffer);
  const std::vector<const Block*> all = readers_of(func.body, buffer);
  if (inside.empty())
    return illegal(call, target.loop().variable,
                   fmt::format("no block under '{}' reads '{}'", target.loop().variable, buffer));
  for (const Block* reader : all)
    if (std::find(inside.begin(), inside.end(), reader) == inside.end())
      return illegal(call, reader->name,
                     fmt::format("'{}' reads '{}' too, but outside loop '{}'", reader->name, buffer,
                                 target.loop().variable),
                     fmt::format("choose a loop around all readers of '{}'", block.name));
  return check_scalar_place(call, target);
}

// That of a block that sets what a sum goes on from is a loop around the sum.
Result<void> check_place_of_initial(const std::string& call, const Path& target,
                                    const std::string& sum, const std::string& buffer) {
  const std::vector<const Block*> inside = writers_of(target.target(), buffer);
  if (inside.size() != 1 || inside[0]->name != sum)
    return illegal(
        call, target.loop().variable,
        fmt::format("'{}', which goes on from it, is not under '{}'", sum, target.loop().variable));
  return check_scalar_place(call, target);
}

// What is known of variables from below alone: loops begin at 0, however far they go.
expr::Ranges from_zero(const Expr& e, expr::Ranges ranges) {
  constexpr std::int64_t far = std::int64_t{1} << 40;
  for (const std::string& variable : expr::variables_of(e))
    ranges.try_emplace(variable, expr::Interval{0, far});
  return ranges;
}

// i < n in a loop over i to n, whatever n is.
bool is_said_by_a_loop(const Expr& condition, std::span<const For* const> loops) {
  const auto* less = condition.as<expr::Binary>();
  const auto* variable =
      less && less->op == expr::BinaryOperator::Less ? less->left.as<expr::Variable>() : nullptr;
  return variable && std::ranges::any_of(loops, [&](const For* loop) {
           return loop->variable == variable->name && expr::same(loop->extent, less->right);
         });
}

// Under fresh loops over the region: the block, its reductions in full.
Stmt placed(const Block& block, const std::vector<std::size_t>& axes,
            const std::vector<Bounds>& region, const Buffer& buffer, const expr::Ranges& outer,
            std::span<const For* const> around, Names& names, std::vector<std::string>& made) {
  std::vector<NewLoop> loops;
  Block copy = block;
  copy.predicate = {};
  for (std::size_t d = 0; d < axes.size(); ++d) {
    loop::IterVar& iter = copy.iters[axes[d]];
    Expr low = region[d].min, extent = iter.extent;
    const auto size = width(region[d], outer);
    const auto whole = expr::as_integer(buffer.shape[d]);
    if (size && !(whole && *size >= *whole)) {
      extent = Expr(*size);
    } else {
      low = Expr(0);
    }
    const std::string variable = names.fresh(loop_name(iter));
    iter.binding = low + expr::variable(variable);
    expr::Ranges ranges = outer;
    add_range(ranges, variable, extent);
    const auto ask = [&](const Expr& condition, const expr::Ranges& known) {
      const Expr test = expr::simplify(condition, known);
      if (!expr::is_true(test) && !is_said_by_a_loop(test, around))
        copy.predicate = expr::conjunction(copy.predicate, test);
    };
    ask(iter.binding >= Expr(0), from_zero(iter.binding, ranges));
    ask(iter.binding < iter.extent, ranges);
    loops.push_back({variable, extent});
  }
  for (loop::IterVar& iter : copy.iters) {
    if (!iter.reduction) continue;
    loops.push_back({names.fresh(loop_name(iter)), iter.extent});
    iter.binding = expr::variable(loops.back().variable);
  }
  for (const NewLoop& loop : loops) made.push_back(loop.variable);
  return nest_of(loops, std::move(copy));
}

Result<Applied> apply_compute_at(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string& variable = name_at(arguments, 1);
  const std::string call = fmt::format("compute_at({}, {})", name, variable);
  const Path source = TRY(find_block(func, name));
  const Block block = source.block();
  const Block* sum = sum_begun_by(func, block);
  const std::vector<std::size_t> axes =
      sum ? *plain_store_axes(block, *only_store(block)) : TRY(check_movable(call, func, block));
  TRY_VOID(check_sources_final(call, func, block));
  if (source.index_of_loop(variable) >= 0)
    return illegal(call, variable, fmt::format("block '{}' is inside that loop already", name));
  TRY_VOID(check_computes_all(call, source));
  const Buffer buffer = *loop::find_buffer(loop::buffers_of(func), only_store(block)->buffer);

  TRY(find_loop(func, variable));
  const Func removed = with_body(func, without_block(source));
  const Path target = TRY(find_loop(removed, variable));
  TRY_VOID(sum ? check_place_of_initial(call, target, sum->name, buffer.name)
               : check_consumers(call, removed, target, block, buffer.name));

  expr::Ranges outer = ranges_of(target.loops());
  add_range(outer, variable, target.loop().extent);
  Names names(removed);
  names.keep_clear_of(block);
  std::vector<std::string> made;
  const Block moved = clear_of_loops(block, target, names, loop::buffers_of(func));
  std::vector<const For*> around = target.loops();
  around.push_back(&target.loop());
  const Stmt nest = placed(moved, axes, needed(target, buffer), buffer, outer, around, names, made);

  std::vector<Stmt> body = statements_of(target.loop().body);
  const auto first = std::find_if(body.begin(), body.end(), [&](const Stmt& stmt) {
    return !(sum ? writers_of(stmt, buffer.name) : readers_of(stmt, buffer.name)).empty();
  });
  // What the block reads was computed before it; its new place is later, so it still is.
  body.insert(first, nest);
  For changed = target.loop();
  changed.body = loop::sequence(std::move(body));
  Func moved_there = with_body(removed, replace(target, loop::make(std::move(changed))));
  if (sum) {
    // Each element is set before all its terms are added, and so is the element of no terms.
    TRY_VOID(check_moved(call, func, name, moved_there, name));
    if (!runs_every_instance(TRY(find_block(moved_there, name))))
      return illegal(call, name,
                     fmt::format("in loop '{}' block '{}' need not set every element of '{}'",
                                 variable, name, buffer.name));
  }
  return Applied{std::move(moved_there), made,
                 sums_anew(source)
                     ? "terms of a sum are added in another order, which floating point can tell"
                     : ""};
}

}  // namespace

Primitive compute_at() {
  return {"compute_at",
          "Moves a producer into a loop of its consumers; each iteration computes the part that is "
          "read in it.",
          "for i in 64 { A[i] = ... }  for y in 8 { for x in 8 { B[...] = A[y * 8 + x] } }",
          "for y in 8 { for a in 8 { A[y * 8 + a] = ... }  for x in 8 { B[...] = A[y * 8 + x] } }",
          {{"block", ParameterKind::Block, "the producer"},
           {"loop", ParameterKind::Loop, "a loop around all its consumers",
            choices::loops_elsewhere()}},
          apply_compute_at};
}

}  // namespace loopglass::schedule
