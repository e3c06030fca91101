// decompose_reduction(block, loop): the initial value of a sum gets a block of its own, before a
// loop.
#include "core/dependence/dependence.h"
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/names.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/regions.h"
#include "core/loop/rewrite.h"
#include "core/schedule/choices.h"
#include "core/schedule/move.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The loop must be around the block and outside everything the block sums over.
Result<void> check_place(const std::string& call, const Path& path, const std::string& variable) {
  const Block& block = path.block();
  if (path.index_of_loop(variable) < 0)
    return illegal(call, variable,
                   fmt::format("loop '{}' is not around block '{}'", variable, block.name));
  for (const For* node : path.loops()) {
    if (node->variable == variable) break;
    if (const Use use = use_of(block, node->variable); use == Use::Reduction || use == Use::Both)
      return illegal(call, variable,
                     fmt::format("'{}' is already summing over '{}', outside that loop", block.name,
                                 node->variable),
                     fmt::format("decompose at '{}' or further out", node->variable));
  }
  return {};
}

// The initial value is to be set once for every element, by the first of its terms, which there
// must be; nothing else in the loop may touch the element before, or change what it is set to.
Result<void> check_start(const std::string& call, const Func& func, const Path& path,
                         const Path& loop) {
  const Block& block = path.block();
  const Order order(func);
  TRY_VOID(check_initial_value(call, block));
  if (!starts_at_zero(block, order.ranges()))
    return illegal(
        call, block.name,
        fmt::format("'{}' does not set the initial value with its first term alone", block.name));
  for (const For* node : path.loops()) {
    const auto extent = expr::bounds(node->extent, ranges_of(path.loops()));
    if (use_of(block, node->variable) == Use::Reduction && extent && extent->min < 1)
      return illegal(call, node->variable,
                     fmt::format("'{}' may have no iteration, and then no initial value is set",
                                 node->variable));
  }
  std::set<std::string> set, read;  // by the initial value
  for (const Access& access : accesses_of(block.init))
    (access.is_store ? set : read).insert(access.buffer);
  const std::vector<Access> inside = accesses_of(loop.target());
  const auto is_of_block = [&](const Access& access) {
    return access.block && access.block->name == block.name;
  };
  // A term may read what it is added to, and no other element: that would have been set by then.
  const auto reads_its_own_element = [&](const Access& load) {
    return std::ranges::all_of(inside, [&](const Access& store) {
      return !is_of_block(store) || !store.is_store || store.buffer != load.buffer ||
             std::ranges::equal(store.indices, load.indices,
                                [](const Expr& a, const Expr& b) { return expr::same(a, b); });
    });
  };
  for (const Access& access : inside) {
    const bool own = is_of_block(access) && (access.is_store || reads_its_own_element(access));
    if ((set.contains(access.buffer) && !own) || (read.contains(access.buffer) && access.is_store))
      return illegal(call, access.block ? access.block->name : access.buffer,
                     fmt::format("{} in the same loop, beside the initial value",
                                 described(access, order.ranges())));
  }
  return {};
}

// Operators whose code was put into the sum say nothing of what it begins with.
void take_initial_value(Block& init, const Block& sum) {
  init.body = sum.init;
  init.origin = origin_of_initial_value(sum);
  const loop::Store* store = loop::as<loop::Store>(sum.init);
  if (!store) return;
  loop::Store own = *store;
  own.origin = {};
  init.body = loop::make(std::move(own));
}

Result<Applied> apply_decompose_reduction(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string& variable = name_at(arguments, 1);
  const std::string call = fmt::format("decompose_reduction({}, {})", name, variable);
  const Path path = TRY(find_block(func, name));
  const Block block = path.block();
  if (!block.init || !has_reduction(block))
    return illegal(call, name,
                   fmt::format("block '{}' is not a reduction with an initial value", name));
  TRY(find_loop(func, variable));
  TRY_VOID(check_place(call, path, variable));
  const auto place = static_cast<std::size_t>(path.index_of_loop(variable));
  TRY_VOID(check_summed_once(call, path, place, "decompose at a loop inside it"));
  TRY_VOID(check_start(call, func, path, TRY(find_loop(func, variable))));

  Names names(func);
  Block init;
  init.name = names.fresh(fmt::format("{}_init", name));
  take_initial_value(init, block);
  std::vector<NewLoop> loops;
  Bindings renamed;
  std::set<std::string> summed, left_out;
  for (std::size_t i = place; i + 1 < path.statements.size(); ++i) {
    const For* node = loop::as<For>(path.statements[i]);
    if (!node) {
      if (loop::as<loop::Seq>(path.statements[i])) continue;
      return illegal(call, name, "a condition or allocation stands between the loop and the block");
    }
    const Use use = use_of(block, node->variable);
    if (use == Use::Both)
      return illegal(call, node->variable,
                     fmt::format("'{}' is spatial and reduced at once", node->variable));
    if (use == Use::Reduction) summed.insert(node->variable);
    if (use != Use::Spatial) {
      left_out.insert(node->variable);
      continue;
    }
    for (const std::string& around : left_out)
      if (expr::uses_variable(node->extent, around))
        return illegal(call, node->variable,
                       fmt::format("its extent depends on '{}', which the initial value has no "
                                   "loop for",
                                   around));
    loops.push_back(
        {names.fresh(node->variable + "_init"), expr::substitute(node->extent, renamed)});
    renamed[node->variable] = expr::variable(loops.back().variable);
  }
  for (const loop::IterVar& iter : block.iters)
    if (!iter.reduction)
      init.iters.push_back({iter.name, expr::substitute(iter.extent, renamed), false,
                            expr::substitute(iter.binding, renamed)});
  Bindings first;
  for (const std::string& loop : summed) first[loop] = Expr(0);
  for (const Expr& condition : expr::conjuncts(loop_predicate(block))) {
    const std::set<std::string> used = expr::variables_of(condition);
    const auto is_summed = [&](const std::string& v) { return summed.contains(v); };
    if (std::none_of(used.begin(), used.end(), is_summed))
      init.predicate = expr::conjunction(init.predicate, expr::substitute(condition, renamed));
    else if (!std::all_of(used.begin(), used.end(), is_summed) ||
             !expr::is_true(expr::simplify(expr::substitute(condition, first))))
      return illegal(
          call, name,
          fmt::format(
              "its predicate {} mixes spatial and reduction loops, or leaves out the first term",
              expr::to_string(condition)));
  }
  const std::string made = init.name;
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  const Stmt init_nest = nest_of(loops, with_regions(std::move(init), buffers));

  Block update = block;
  update.init = nullptr;
  const Stmt with_update = replace(path, loop::make(with_regions(std::move(update), buffers)));
  const Path at = TRY(find_loop(with_body(func, with_update), variable));
  return Applied{
      with_body(func, replace(at, loop::sequence({init_nest, at.target()}))), {made}, {}};
}

}  // namespace

Primitive decompose_reduction() {
  return {
      "decompose_reduction",
      "Sets a sum's initial value in a block of its own before the given loop; returns that block.",
      "for i in 8 { for k in 64 { C[i] += ... from 0 } }",
      "for i in 8 { C[i] = 0  for k in 64 { C[i] += ... } }",
      {{"block", ParameterKind::Block, "a reduction"},
       {"loop", ParameterKind::Loop, "a loop around it, outside all it sums over",
        choices::loops_around()}},
      apply_decompose_reduction};
}

}  // namespace loopglass::schedule
