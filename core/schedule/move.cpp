#include "core/schedule/move.h"

#include "core/dependence/coverage.h"
#include "core/dependence/dependence.h"
#include "core/expr/rewrite.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

Result<std::vector<std::size_t>> check_movable(const std::string& call, const Func& func,
                                               const Block& block) {
  const loop::Store* store = only_store(block);
  if (!store)
    return illegal(call, block.name,
                   fmt::format("block '{}' is more than a single store", block.name));
  if (is_parameter(func, store->buffer))
    return illegal(
        call, block.name,
        fmt::format("block '{}' computes '{}', an output of the kernel, which is needed whole",
                    block.name, store->buffer));
  TRY_VOID(check_lone_writer(call, func, block, "move the block before decomposing its reduction"));
  TRY_VOID(check_read_by_blocks(call, func, store->buffer));
  if (loads_itself(block) && !updates_by_reducer(block))
    return illegal(
        call, block.name,
        fmt::format("block '{}' goes on from what '{}' held before", block.name, store->buffer));
  if (has_reduction(block) && !block.init)
    return illegal(call, block.name,
                   fmt::format("the initial value of '{}' is set elsewhere", store->buffer));
  auto axes = plain_store_axes(block, *store);
  const auto spatial = std::count_if(block.iters.begin(), block.iters.end(),
                                     [](const loop::IterVar& iter) { return !iter.reduction; });
  if (!axes || axes->size() != static_cast<std::size_t>(spatial))
    return illegal(call, block.name,
                   fmt::format("block '{}' does not store each iteration to an element of its own",
                               block.name));
  return *axes;
}

Result<void> check_lone_writer(const std::string& call, const Func& func, const Block& block,
                               const std::string& hint) {
  const std::string& buffer = only_store(block)->buffer;
  for (const Access& access : accesses_of(func.body))
    if (access.is_store && access.buffer == buffer &&
        (!access.block || access.block->name != block.name))
      return illegal(call, block.name,
                     fmt::format("'{}' is written by more than one {}", buffer,
                                 access.block ? "block" : "block: by a statement outside blocks"),
                     hint);
  return {};
}

Result<void> check_read_by_blocks(const std::string& call, const Func& func,
                                  const std::string& buffer) {
  for (const Access& access : accesses_of(func.body))
    if (!access.is_store && access.buffer == buffer && (!access.block || !access.block_body))
      return illegal(call, buffer, fmt::format("'{}' is also read outside of blocks", buffer));
  return {};
}

bool loads_itself(const Block& block) {
  const loop::Store* store = only_store(block);
  const std::vector<const expr::Load*> loads = loads_of(block);
  return store && std::any_of(loads.begin(), loads.end(), [&](const expr::Load* load) {
           return load->buffer == store->buffer;
         });
}

Result<void> check_sources_final(const std::string& call, const Func& func, const Block& block) {
  const Order order(func);
  for (const Access& access : order.accesses()) {
    if (access.is_store || !access.block || access.block->name != block.name) continue;
    const loop::Store* store = only_store(block);
    if (store && access.buffer == store->buffer) continue;
    if (const Access* later = order.stored_later(access))
      return illegal(call, later->block ? later->block->name : access.buffer,
                     fmt::format("'{}' reads '{}', which {} again later", block.name, access.buffer,
                                 described(*later, order.ranges())));
  }
  return {};
}

Result<void> check_moved(const std::string& call, const Func& before, const std::string& block,
                         const Func& after, const std::string& place) {
  const Order was(before), is(after);
  const auto of = [](const Order& order, const std::string& name) {
    std::vector<const Access*> found;
    for (const Access& access : order.accesses())
      if (access.block && access.block->name == name) found.push_back(&access);
    return found;
  };
  const std::vector<const Access*> moved = of(was, block), there = of(is, place);
  const auto conflict = [](const Access& a, const Access& b) {
    return a.buffer == b.buffer && (a.is_store || b.is_store);
  };
  // What the nest had all before the block, or all after it, it must have so again.
  for (const Access* at : there)
    for (const Access& other : is.accesses()) {
      if (!conflict(*at, other) || (other.block && other.block->name == place)) continue;
      const auto is_kept = [&](Order::Test test) {
        bool preceded = true, followed = true;
        for (const Access* from : moved)
          for (const Access& same : was.accesses()) {
            if (same.block && same.block->name == block) continue;
            if (!conflict(*from, same) || same.buffer != at->buffer ||
                from->is_store != at->is_store)
              continue;
            if (same.is_store != other.is_store) continue;
            preceded = preceded && !was.may_follow(*from, same, test);
            followed = followed && !was.may_follow(same, *from, test);
          }
        return (preceded && !is.may_follow(*at, other, test)) ||
               (followed && !is.may_follow(other, *at, test));
      };
      if (!is_kept(Order::Test::Quick) && !is_kept(Order::Test::Exact))
        return illegal(call, other.block ? other.block->name : other.buffer,
                       fmt::format("{}, {}: which comes first would not stay as it is",
                                   described(*at, is.ranges()), described(other, is.ranges())));
    }
  return {};
}

Result<void> check_computes_all(const std::string& call, const Path& path) {
  const Block& block = path.block();
  if (!runs_every_instance(path))
    return illegal(call, block.name,
                   fmt::format("block '{}' need not compute every element", block.name));
  const std::vector<const For*> loops = path.loops(), repeating = repeating_loops(path);
  const auto first_summed = std::find_if(loops.begin(), loops.end(), [&](const For* node) {
    return use_of(block, node->variable) == Use::Reduction;
  });
  for (auto inside = first_summed; inside != loops.end(); ++inside)
    if (std::find(repeating.begin(), repeating.end(), *inside) != repeating.end())
      return illegal(call, (*inside)->variable,
                     fmt::format("'{}' sums the same terms again in other iterations of '{}'",
                                 block.name, (*inside)->variable));
  return {};
}

bool sums_anew(const Path& path) {
  std::vector<std::string> now, then;
  for (const For* node : path.loops())
    if (use_of(path.block(), node->variable) == Use::Reduction) now.push_back(node->variable);
  for (const loop::IterVar& iter : path.block().iters) {
    if (!iter.reduction || expr::as_integer(iter.extent) == 1) continue;
    const auto* variable = iter.binding.as<expr::Variable>();
    if (!variable) return true;
    then.push_back(variable->name);
  }
  std::erase_if(now, [&](const std::string& name) {
    return std::find(then.begin(), then.end(), name) == then.end();
  });
  return now != then;
}

Stmt nest_of(const std::vector<NewLoop>& loops, Block block) {
  Stmt body = loop::make(std::move(block));
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
    body = loop::make(For{loop->variable, loop->extent, loop::ForKind::Serial, body});
  return body;
}

Block clear_of_loops(Block block, const Path& place, Names& names,
                     const std::vector<Buffer>& buffers) {
  std::set<std::string> around{place.loop().variable};
  for (const For* node : place.loops()) around.insert(node->variable);
  Bindings renamed;
  for (loop::IterVar& iter : block.iters) {
    if (!around.contains(iter.name)) continue;
    const std::string name = names.fresh(iter.name);
    renamed[iter.name] = expr::variable(name);
    iter.name = name;
  }
  if (renamed.empty()) return block;
  const auto rename = [&](const Expr& e) { return expr::substitute(e, renamed); };
  block.body = rewrite_exprs(block.body, rename);
  if (block.init) block.init = rewrite_exprs(block.init, rename);
  return with_regions(std::move(block), buffers);
}

std::size_t position_of(const Func& func, const std::string& name) {
  const std::vector<const Block*> blocks = blocks_of(func.body);
  const auto found =
      std::find_if(blocks.begin(), blocks.end(), [&](const Block* b) { return b->name == name; });
  return static_cast<std::size_t>(found - blocks.begin());
}

std::vector<Stmt> statements_of(const Stmt& body) {
  if (!body) return {};
  const loop::Seq* seq = loop::as<loop::Seq>(body);
  return seq ? seq->statements : std::vector<Stmt>{body};
}

}  // namespace loopglass::schedule
