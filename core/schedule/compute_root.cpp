// compute_root(block): a producer leaves the loops of its consumers for a nest of its own before
// them, which computes all of its buffer once.
//
// What it reads is final wherever it stands, so that an element is the same value whenever it is
// computed; a consumer that sees no half of a sum then reads the same of the whole.
#include "core/dependence/dependence.h"
#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/rewrite.h"
#include "core/schedule/cache.h"
#include "core/schedule/choices.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// Another block of the nest, which stays: the new nest goes before it.
Result<std::string> neighbour_of(const std::string& call, const Path& path) {
  const std::string& name = path.block().name;
  for (const Block* other : blocks_of(root_nest(path)))
    if (other->name != name) return other->name;
  return illegal(call, name, fmt::format("block '{}' has a nest of its own already", name));
}

// Whether the loops of its own, and what it computes, can stand outside all loops.
Result<void> check_free_of_loops(const std::string& call, const Func& func, const Path& path,
                                 const std::vector<std::size_t>& axes) {
  const Block& block = path.block();
  for (const loop::IterVar& iter : block.iters) {
    const std::set<std::string> used = expr::variables_of(iter.extent);
    for (const For* node : path.loops())
      if (used.contains(node->variable))
        return illegal(
            call, node->variable,
            fmt::format("the extent of axis '{}' depends on loop '{}'", iter.name, node->variable));
    if (expr::has_load(iter.extent))
      return illegal(call, block.name,
                     fmt::format("the extent of axis '{}' is read from memory", iter.name));
  }
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Buffer* buffer = loop::find_buffer(buffers, only_store(block)->buffer);
  const auto root = path.statements.begin() + static_cast<std::ptrdiff_t>(root_index(path));
  if (std::none_of(path.statements.begin(), root, [&](const Stmt& stmt) {
        return loop::as<loop::Alloc>(stmt)->buffer.name == buffer->name;
      }))
    return illegal(call, buffer->name,
                   fmt::format("'{}' is allocated inside of a nest", buffer->name));
  for (std::size_t d = 0; d < axes.size(); ++d) {
    const Expr& extent = block.iters[axes[d]].extent;
    const auto computed = expr::as_integer(extent), held = expr::as_integer(buffer->shape[d]);
    if (!expr::same(extent, buffer->shape[d]) && !(computed && held && *computed <= *held))
      return illegal(call, buffer->name,
                     fmt::format("'{}' need not hold all {} of axis '{}'", buffer->name,
                                 expr::to_string(extent), block.iters[axes[d]].name));
  }
  return {};
}

// Each consumer must come after the block, and after whole sums.
Result<void> check_read_when_whole(const std::string& call, const Func& func, const Path& path) {
  const Block& block = path.block();
  const std::string& buffer = only_store(block)->buffer;
  const std::size_t place = position_of(func, block.name);
  bool is_read = false;
  for (const Access& access : accesses_of(func.body)) {
    if (access.is_store || access.buffer != buffer || access.block->name == block.name) continue;
    is_read = true;
    if (position_of(func, access.block->name) < place)
      return illegal(call, access.block->name,
                     fmt::format("'{}' reads '{}' before block '{}' computes it",
                                 access.block->name, buffer, block.name));
    for (const For* node : access.loops) {
      const Use use = use_of(block, node->variable);
      if (path.index_of_loop(node->variable) >= 0 && (use == Use::Reduction || use == Use::Both))
        return illegal(call, access.block->name,
                       fmt::format("'{}' reads '{}' while it is still being summed over '{}'",
                                   access.block->name, buffer, node->variable));
    }
  }
  if (is_read) return {};
  return illegal(call, block.name, fmt::format("no block reads '{}'", buffer));
}

// All that the block reads must be there before the nest it leaves.
Result<void> check_sources_before(const std::string& call, const Func& moved, const Block& block) {
  const Order order(moved);
  for (const Access& access : order.accesses()) {
    if (access.is_store || !access.block || access.block->name != block.name ||
        access.buffer == only_store(block)->buffer)
      continue;
    if (const Access* later = order.stored_later(access))
      return illegal(
          call, later->block ? later->block->name : access.buffer,
          fmt::format("block '{}' reads '{}', which {} only in the loops that it would leave",
                      block.name, access.buffer, described(*later, order.ranges())),
          fmt::format("move what computes '{}' there first", access.buffer));
  }
  return {};
}

Result<Applied> apply_compute_root(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("compute_root({})", name);
  const Path source = TRY(find_block(func, name));
  const std::string neighbour = TRY(neighbour_of(call, source));
  const std::vector<std::size_t> axes = TRY(check_movable(call, func, source.block()));
  TRY_VOID(check_sources_final(call, func, source.block()));
  TRY_VOID(check_read_when_whole(call, func, source));
  TRY_VOID(check_computes_all(call, source));
  TRY_VOID(check_free_of_loops(call, func, source, axes));

  const Func removed = with_body(func, without_block(source));
  Names names(removed);
  names.keep_clear_of(source.block());
  Block block = source.block();
  block.predicate = {};  // what lay beyond the extents no loop reaches any more
  std::vector<NewLoop> loops;
  std::vector<std::string> made;
  const auto add_loop = [&](loop::IterVar& iter) {
    made.push_back(names.fresh(loop_name(iter)));
    loops.push_back({made.back(), iter.extent});
    iter.binding = expr::variable(made.back());
  };
  for (const std::size_t axis : axes) add_loop(block.iters[axis]);
  for (loop::IterVar& iter : block.iters)
    if (iter.reduction) add_loop(iter);
  const Stmt nest = nest_of(loops, std::move(block));
  Func moved = insert_beside(removed, TRY(find_block(removed, neighbour)), nest, true);
  TRY_VOID(check_sources_before(call, moved, source.block()));
  return Applied{std::move(moved), made,
                 sums_anew(source)
                     ? "terms of a sum are added in another order, which floating point can tell"
                     : ""};
}

// Those that share a nest with others.
std::vector<Argument> in_loops_of_others(const Func& func, std::span<const Argument>) {
  std::vector<Argument> blocks;
  for (const Block* block : blocks_of(func.body)) {
    const auto path = find_block(func, block->name);
    if (path && blocks_of(root_nest(*path)).size() > 1) blocks.emplace_back(block->name);
  }
  return blocks;
}

}  // namespace

Primitive compute_root() {
  return {"compute_root",
          "Moves a producer out of the loops of its consumers into a nest of its own before them, "
          "which computes all of its buffer.",
          "for y in 8 { for a in 8 { A[y * 8 + a] = ... }  for x in 8 { B[...] = A[y * 8 + x] } }",
          "for i in 64 { A[i] = ... }  for y in 8 { for x in 8 { B[...] = A[y * 8 + x] } }",
          {{"block", ParameterKind::Block, "a producer that stands in loops of its consumers",
            in_loops_of_others}},
          apply_compute_root};
}

}  // namespace loopglass::schedule
