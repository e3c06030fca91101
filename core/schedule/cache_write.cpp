// cache_write(block, scope): a block computes into a buffer of its own, copied out after.
#include "core/dependence/coverage.h"
#include "core/dependence/dependence.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/cache.h"
#include "core/schedule/choices.h"
#include "core/schedule/initial_block.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The extents that a block writes: a buffer may be wider, its rows being rows of a larger tensor's,
// and what lies between them is not the block's to copy to.
std::vector<Expr> written_shape(const Block& block, const loop::Store& store,
                                const Buffer& target) {
  expr::Ranges ranges;
  for (const loop::IterVar& iter : block.iters) add_range(ranges, iter.name, iter.extent);
  std::vector<Expr> shape = target.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto bounds = expr::bounds(store.indices[d], ranges);
    const auto extent = expr::as_integer(shape[d]);
    if (bounds && extent && bounds->min >= 0 && bounds->max < *extent)
      shape[d] = Expr(bounds->max + 1);
  }
  return shape;
}

// The whole cache is copied out, so that the block must have written all of it.
Result<void> check_written(const std::string& call, const Path& path, const loop::Store& store,
                           const std::vector<Expr>& shape) {
  const Block& block = path.block();
  std::set<std::string> walked;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Expr& index = store.indices[d];
    if (expr::as_integer(index) == 0 && expr::as_integer(shape[d]) == 1) continue;
    const auto* variable = index.as<expr::Variable>();
    const auto iter = std::find_if(block.iters.begin(), block.iters.end(), [&](const auto& known) {
      return variable && known.name == variable->name;
    });
    if (iter == block.iters.end() || iter->reduction || !walked.insert(iter->name).second ||
        !expr::same(iter->extent, shape[d]))
      return illegal(call, block.name,
                     fmt::format("it stores at {}, which need not be all of '{}'",
                                 expr::to_string(index), store.buffer));
  }
  if (!runs_every_instance(path))
    return illegal(call, block.name,
                   fmt::format("block '{}' need not write all of '{}'", block.name, store.buffer));
  return {};
}

// ... and gone on from nothing that was there before.
Result<void> check_begins(const std::string& call, const Func& func, const Block& block,
                          const loop::Store& store) {
  if (!loads_itself(block)) return {};
  const std::vector<Access> start = block.init ? accesses_of(block.init) : std::vector<Access>();
  const bool starts_from_itself = std::ranges::any_of(start, [&](const Access& access) {
    return !access.is_store && access.buffer == store.buffer;
  });
  if (!updates_by_reducer(block) || !block.init || starts_from_itself ||
      !starts_at_zero(block, ranges_of(func)))
    return illegal(
        call, block.name,
        fmt::format("block '{}' goes on from what '{}' held before", block.name, store.buffer));
  return {};
}

// Nobody may take from the buffer what is in the cache then: others read it behind the nests of the
// blocks that compute it.
Result<void> check_readers(const std::string& call, const Func& func, const std::string& target,
                           const std::vector<std::string>& writers) {
  const auto is_writers = [&](const Access& access) {
    return access.block && access.block_body &&
           std::ranges::find(writers, access.block->name) != writers.end();
  };
  for (const std::string& writer : writers) {
    const Path path = TRY(find_block(func, writer));
    const Stmt& nest = root_nest(path);
    const std::vector<Access> beside = accesses_of(nest);
    if (std::ranges::any_of(beside, [&](const Access& access) {
          return access.buffer == target && !is_writers(access);
        }))
      return illegal(call, target,
                     fmt::format("'{}' is also read in the loops that compute it", target),
                     "cache before moving its consumers");
  }
  if (writers.size() == 1) return {};
  const std::size_t last = position_of(func, writers.back());
  for (const Access& access : accesses_of(func.body))
    if (access.buffer == target && !is_writers(access) &&
        (!access.block || position_of(func, access.block->name) < last))
      return illegal(call, target,
                     fmt::format("'{}' is also read before '{}' is done", target, writers.back()));
  return {};
}

// The block with the cache in the place of the buffer.
Block redirected(const Block& block, const std::string& target, const Buffer& cache,
                 const std::vector<Buffer>& known) {
  const auto redirect = [&](const Expr& e) -> Expr {
    const auto* load = e.as<expr::Load>();
    return load && load->buffer == target ? expr::load(cache.type, cache.name, load->indices)
                                          : Expr();
  };
  Block changed = map_block_body(block, [&](const Expr& e) { return expr::rewrite(e, redirect); });
  const auto store_to_cache = [&](const Stmt& stmt) -> Stmt {
    const loop::Store* old = loop::as<loop::Store>(stmt);
    if (!old || old->buffer != target) return stmt;
    loop::Store moved = *old;
    moved.buffer = cache.name;
    return loop::make(std::move(moved));
  };
  changed.body = rewrite(changed.body, store_to_cache);
  if (changed.init) changed.init = rewrite(changed.init, store_to_cache);
  return with_regions(std::move(changed), known);
}

// The sum goes on from what was set: within that.
Result<void> check_stores_within(const std::string& call, const Block& block,
                                 const loop::Store& store, const std::vector<Expr>& shape) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto* variable = store.indices[d].as<expr::Variable>();
    const auto iter = std::ranges::find_if(block.iters, [&](const loop::IterVar& known) {
      return variable && known.name == variable->name;
    });
    const bool is_only_one =
        expr::as_integer(store.indices[d]) == 0 && expr::as_integer(shape[d]) == 1;
    if (!is_only_one && (iter == block.iters.end() || !expr::same(iter->extent, shape[d])))
      return illegal(call, block.name,
                     fmt::format("it stores at {}, which need not be set before",
                                 expr::to_string(store.indices[d])));
  }
  return {};
}

Result<Applied> apply_cache_write(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("cache_write({}, {})", name, name_at(arguments, 1));
  const loop::Scope scope = TRY(scope_named(call, name_at(arguments, 1)));
  const Path path = TRY(find_block(func, name));
  const loop::Store* store = only_store(path.block());
  if (!store)
    return illegal(call, name, fmt::format("block '{}' is more than a single store", name));
  const Block* initial = initial_block_of(func, path.block());
  if (!initial)
    TRY_VOID(check_lone_writer(call, func, path.block(), "cache before decomposing the reduction"));
  std::vector<std::string> writers{name};
  if (initial) writers.insert(writers.begin(), initial->name);
  const std::string target = store->buffer;
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Buffer* to = loop::find_buffer(buffers, target);
  TRY_VOID(check_readers(call, func, target, writers));

  // What is all written: by the block itself, or where another begins its sums by that one.
  const Path first = TRY(find_block(func, writers.front()));
  const loop::Store& first_store = *only_store(first.block());
  Names names(func);
  Buffer cache = *to;
  cache.name = names.fresh(fmt::format("{}_{}", target, loop::name(scope)));
  cache.scope = scope;
  cache.role = loop::Role::Intermediate;
  cache.shape = written_shape(first.block(), first_store, *to);
  TRY_VOID(check_written(call, first, first_store, cache.shape));
  if (initial) TRY_VOID(check_stores_within(call, path.block(), *store, cache.shape));
  else TRY_VOID(check_begins(call, func, path.block(), *store));
  std::vector<Buffer> known = buffers;
  known.push_back(cache);
  const std::string copy_name = names.fresh(fmt::format("{}_copy", name));
  const Stmt copy = copy_nest(copy_name, cache, *to, path.block().origin, names, known);

  Func changed = func;
  for (const std::string& writer : writers) {
    const Path place = TRY(find_block(changed, writer));
    changed = with_body(
        changed, replace(place, loop::make(redirected(place.block(), target, cache, known))));
  }
  const Func placed = insert_beside(changed, TRY(find_block(changed, name)), copy, false);
  return Applied{with_allocation(placed, cache), {copy_name}, remark_on_copy(cache)};
}

}  // namespace

Primitive cache_write() {
  return {
      "cache_write",
      "Lets a block compute into a buffer of its own, copied to its place after the block's "
      "loops; returns "
      "the copying block.",
      "for i in 8 { B[i] = ... }",
      "for i in 8 { B_register[i] = ... }  for c in 8 { B[c] = B_register[c] }",
      {{"block", ParameterKind::Block, "the writer"},
       {"scope", ParameterKind::Name, "workspace, shared, stack or register", choices::scopes()}},
      apply_cache_write};
}

}  // namespace loopglass::schedule
