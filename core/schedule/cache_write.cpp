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

// The whole cache is copied out, so that the block must have written all of it, and gone on from
// nothing that was there before.
Result<void> check_written(const std::string& call, const Func& func, const Path& path,
                           const loop::Store& store, const std::vector<Expr>& shape) {
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

Result<Applied> apply(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string call = fmt::format("cache_write({}, {})", name, name_at(arguments, 1));
  const loop::Scope scope = TRY(scope_named(call, name_at(arguments, 1)));
  const Path path = TRY(find_block(func, name));
  const loop::Store* store = only_store(path.block());
  if (!store)
    return illegal(call, name, fmt::format("block '{}' is more than a single store", name));
  TRY_VOID(check_lone_writer(call, func, path.block(), "cache before decomposing the reduction"));
  const std::string target = store->buffer;
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Buffer* to = loop::find_buffer(buffers, target);
  const std::size_t root = root_index(path);
  const Stmt& nest = path.statements[root + (loop::as<loop::Seq>(path.statements[root]) ? 1 : 0)];
  const std::vector<Access> beside = accesses_of(nest);
  if (std::any_of(beside.begin(), beside.end(), [&](const Access& access) {
        return access.buffer == target &&
               (!access.block || access.block->name != name || !access.block_body);
      }))
    return illegal(call, target,
                   fmt::format("'{}' is also read in the loops that compute it", target),
                   "cache before moving its consumers");

  Names names(func);
  Buffer cache = *to;
  cache.name = names.fresh(fmt::format("{}_{}", target, loop::name(scope)));
  cache.scope = scope;
  cache.role = loop::Role::Intermediate;
  cache.shape = written_shape(path.block(), *store, *to);
  TRY_VOID(check_written(call, func, path, *store, cache.shape));
  std::vector<Buffer> known = buffers;
  known.push_back(cache);
  const std::string copy_name = names.fresh(fmt::format("{}_copy", name));
  const Stmt copy = copy_nest(copy_name, cache, *to, path.block().origin, names, known);

  const auto redirect = [&](const Expr& e) -> Expr {
    const auto* load = e.as<expr::Load>();
    return load && load->buffer == target ? expr::load(cache.type, cache.name, load->indices)
                                          : Expr();
  };
  Block changed =
      map_block_body(path.block(), [&](const Expr& e) { return expr::rewrite(e, redirect); });
  const auto store_to_cache = [&](const Stmt& stmt) -> Stmt {
    const loop::Store* old = loop::as<loop::Store>(stmt);
    if (!old || old->buffer != target) return stmt;
    loop::Store moved = *old;
    moved.buffer = cache.name;
    return loop::make(std::move(moved));
  };
  changed.body = rewrite(changed.body, store_to_cache);
  if (changed.init) changed.init = rewrite(changed.init, store_to_cache);
  const Func redirected =
      with_body(func, replace(path, loop::make(with_regions(std::move(changed), known))));
  const Func placed = insert_beside(redirected, TRY(find_block(redirected, name)), copy, false);
  return Applied{with_allocation(placed, cache), {copy_name}, {}};
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
      apply};
}

}  // namespace loopglass::schedule
