// rfactor(block, loop, axis): each iteration of a reduction loop sums for itself; a block of its
// own adds up what they come to.
//
// What makes a long sum fast and accurate: the partial sums are independent, so that they may be
// lanes, threads or blocks, and each has fewer terms to lose digits in. Terms that a predicate
// leaves out of the sum become the reducer's neutral element, so that every partial sum has a first
// term.
#include "core/dependence/coverage.h"
#include "core/dependence/dependence.h"
#include "core/expr/condition.h"
#include "core/expr/rewrite.h"
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
#include "core/schedule/loop_kinds.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t most_partial_sums = std::int64_t{1} << 31;

// A block `S[i] = reducer(S[i], term)` that starts from an initial value.
struct Sum {
  Path path;
  std::string buffer;
  std::vector<Expr> indices;  // where it stores
  Expr term;
  // The block that sets the initial value, since there may be no term at all; null: the sum does.
  const Block* initial = nullptr;

  const Block& block() const { return path.block(); }
  // What the initial value is of; of one that stands in a block which is of the same, that says it.
  Origin initial_origin() const {
    return initial ? initial->origin : origin_of_initial_value(block());
  }
  Origin initial_origin_in_sum() const {
    Origin origin = initial_origin();
    return origin == block().origin ? Origin() : origin;
  }
};

// The initial value becomes that of the sum of partial sums, of which there always are some: where
// it is the same number for every element, and these are the elements of the sum.
Result<void> check_begun(const std::string& call, const Func& func, const Sum& sum) {
  const Block& initial = *sum.initial;
  const loop::Store& set = *only_store(initial);
  const auto is_number = [](const Expr& e) {
    return e.as<expr::FloatConstant>() || e.as<expr::IntConstant>();
  };
  if (!is_number(set.value))
    return illegal(
        call, initial.name,
        fmt::format("the initial value of '{}' is set by another block, and is no number",
                    sum.buffer),
        "factor the reduction before decomposing it");
  const Path at = TRY(find_block(func, initial.name));
  if (root_nest(at) == root_nest(sum.path))
    return illegal(
        call, initial.name,
        fmt::format("the initial value of '{}' is set by another block in its loops", sum.buffer),
        "factor the reduction before decomposing it");
  const auto extent_at = [](const Block& block, const Expr& index) -> Expr {
    const auto* variable = index.as<expr::Variable>();
    const auto iter = std::ranges::find_if(block.iters, [&](const loop::IterVar& known) {
      return variable && known.name == variable->name && !known.reduction;
    });
    return iter == block.iters.end() ? Expr() : iter->extent;
  };
  for (std::size_t d = 0; d < sum.indices.size(); ++d) {
    const Expr own = extent_at(sum.block(), sum.indices[d]),
               others = extent_at(initial, set.indices[d]);
    if (!own.defined() || !others.defined() || !expr::same(own, others))
      return illegal(call, initial.name,
                     fmt::format("'{}' sets elements of '{}' that '{}' need not sum", initial.name,
                                 sum.buffer, sum.block().name));
  }
  if (!runs_every_instance(at))
    return illegal(call, initial.name,
                   fmt::format("block '{}' need not set every element", initial.name));
  for (const Access& access : accesses_of(func.body))
    if (access.buffer == sum.buffer && !access.is_store &&
        (!access.block ||
         position_of(func, access.block->name) < position_of(func, sum.block().name)))
      return illegal(call, sum.buffer,
                     fmt::format("'{}' is also read before it is summed", sum.buffer));
  return {};
}

Result<Sum> sum_of(const std::string& call, const Func& func, const std::string& name) {
  Sum sum{TRY(find_block(func, name)), {}, {}, {}};
  const Block& block = sum.block();
  const loop::Store* store = only_store(block);
  if (!store || !has_reduction(block) || !block.reducer)
    return illegal(call, name, fmt::format("block '{}' is not a reduction", name));
  sum.initial = block.init ? nullptr : initial_block_of(func, block);
  if (!block.init && !sum.initial)
    return illegal(call, name,
                   fmt::format("the initial value of '{}' is set by another block", store->buffer),
                   "factor the reduction before decomposing it");
  const auto* update = store->value.as<expr::Binary>();
  if (!updates_by_reducer(block))
    return illegal(
        call, name,
        fmt::format("'{}' is not written as its own value and another term", store->buffer));
  for (const Expr& index : store->indices)
    for (const loop::IterVar& iter : block.iters)
      if (iter.reduction && expr::uses_variable(index, iter.name))
        return illegal(call, name,
                       fmt::format("'{}' is stored where its terms say", store->buffer));
  sum.buffer = store->buffer;
  sum.indices = store->indices;
  sum.term = update->right;
  if (sum.initial) {
    TRY_VOID(check_begun(call, func, sum));
  } else {
    TRY_VOID(check_lone_writer(call, func, block));
    TRY_VOID(check_initial_value(call, block));
    if (!starts_at_zero(block, ranges_of(func)))
      return illegal(
          call, name,
          fmt::format("'{}' does not set the initial value with its first term alone", name));
  }
  TRY_VOID(check_summed_once(call, sum.path, 0));
  if (!runs_every_instance(sum.path))
    return illegal(
        call, name,
        fmt::format("that '{}' sums for every element, once, cannot be shown from its loops",
                    name));
  const std::vector<Access> beside = accesses_of(root_nest(sum.path));
  const auto takes_sum = [&](const Access& access) {
    return access.buffer == store->buffer && (!access.block || access.block->name != name);
  };
  if (std::any_of(beside.begin(), beside.end(), takes_sum))
    return illegal(call, store->buffer,
                   fmt::format("'{}' is also read in the loops that sum it", store->buffer),
                   "factor the reduction before moving its consumers");
  // The initial value is set after these loops.
  for (const Access& start : block.init ? accesses_of(block.init) : std::vector<Access>())
    for (const Access& access : beside)
      if (!start.is_store && access.is_store && access.buffer == start.buffer)
        return illegal(call, start.buffer,
                       fmt::format("the initial value reads '{}', which the loops that sum change",
                                   start.buffer));
  return sum;
}

// The loops that the block sums over, outermost first. `variable` must be one of several.
Result<std::vector<const For*>> reduction_loops(const std::string& call, const Sum& sum,
                                                const std::string& variable) {
  const Path& path = sum.path;
  const Block& block = path.block();
  if (path.index_of_loop(variable) < 0)
    return illegal(call, variable,
                   fmt::format("loop '{}' is not around block '{}'", variable, block.name));
  std::vector<const For*> summed;
  for (const For* node : path.loops()) {
    const Use use = use_of(block, node->variable);
    if (use == Use::Both)
      return illegal(call, node->variable,
                     fmt::format("'{}' is spatial and reduced at once", node->variable));
    if (use != Use::Reduction) continue;
    // Each partial sum has a first term, unless it begins without one.
    if (!sum.initial || node->variable == variable)
      TRY(constant_extent(call, *node, most_partial_sums));
    summed.push_back(node);
  }
  const auto chosen = std::find_if(summed.begin(), summed.end(),
                                   [&](const For* node) { return node->variable == variable; });
  if (chosen == summed.end())
    return illegal(call, variable, fmt::format("'{}' does not sum over '{}'", block.name, variable),
                   "choose a loop that only the reduction runs over");
  if ((*chosen)->kind != loop::ForKind::Serial)
    return illegal(call, variable,
                   fmt::format("the loop is {} already", loop::name((*chosen)->kind)),
                   "factor the reduction before choosing the loop's kind");
  if (summed.size() == 1)
    return illegal(call, variable,
                   fmt::format("'{}' sums over '{}' alone, so each iteration has a single term",
                               block.name, variable),
                   "split the loop first");
  return summed;
}

// Names of iterations that a block does not have yet.
class IterNames {
 public:
  explicit IterNames(const std::vector<loop::IterVar>& known) {
    for (const loop::IterVar& iter : known) taken_.insert(iter.name);
  }
  std::string fresh(char letter) {
    int number = 0;
    while (!taken_.insert(fmt::format("{}{}", letter, number)).second) ++number;
    return fmt::format("{}{}", letter, number);
  }

 private:
  std::set<std::string> taken_;
};

std::vector<loop::IterVar> spatial_iters(const Block& block) {
  std::vector<loop::IterVar> iters = block.iters;
  std::erase_if(iters, [](const loop::IterVar& iter) { return iter.reduction; });
  return iters;
}

struct PartialSums {
  Block block;
  std::string part;  // which of the sums of an element: an iteration of the block

  std::vector<Expr> indices(const Sum& sum, std::size_t axis) const {
    std::vector<Expr> result = sum.indices;
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis), expr::variable(part));
    return result;
  }
};

Result<PartialSums> partial_sums(const std::string& call, const Func& func, const Sum& sum,
                                 const std::vector<const For*>& summed, const std::string& variable,
                                 std::size_t axis, const Buffer& partial) {
  const Block& block = sum.block();
  std::vector<loop::IterVar> spatial = spatial_iters(block), reduced;
  IterNames names(spatial);
  PartialSums result{{partial.name, {}, {}, {}, {}, nullptr, nullptr, block.reducer, block.origin},
                     names.fresh('p')};
  Bindings inside;  // what stands for each loop inside the new block
  for (const For* node : summed) {
    const bool chosen = node->variable == variable;
    const std::string iter = chosen ? result.part : names.fresh('r');
    inside[node->variable] = expr::variable(iter);
    const loop::IterVar made{iter, node->extent, !chosen, expr::variable(node->variable)};
    if (chosen) spatial.insert(spatial.begin() + static_cast<std::ptrdiff_t>(axis), made);
    else reduced.push_back(made);
  }
  Expr included;
  for (const Expr& condition : expr::conjuncts(loop_predicate(block))) {
    for (const std::string& used : expr::variables_of(condition))
      if (!inside.contains(used) && std::ranges::find(func.symbols, used) == func.symbols.end())
        return illegal(call, block.name,
                       fmt::format("its predicate {} is not of the reduction loops alone",
                                   expr::to_string(condition)),
                       "factor the reduction before splitting spatial loops unevenly");
    included = expr::conjunction(included, expr::substitute(condition, inside));
  }
  Bindings iterations;
  for (const loop::IterVar& iter : block.iters)
    if (iter.reduction) iterations[iter.name] = expr::substitute(iter.binding, inside);
  Expr term = expr::substitute(sum.term, iterations);
  const Expr neutral = te::identity(*block.reducer, partial.type);
  if (included.defined()) term = expr::select(included, term, neutral);

  result.block.iters = std::move(spatial);
  result.block.iters.insert(result.block.iters.end(), reduced.begin(), reduced.end());
  const std::vector<Expr> at = result.indices(sum, axis);
  if (!sum.initial)
    result.block.init =
        loop::make(loop::Store{partial.name, at, neutral, sum.initial_origin_in_sum()});
  result.block.body = loop::make(
      loop::Store{partial.name,
                  at,
                  te::combine(*block.reducer, expr::load(partial.type, partial.name, at), term),
                  {}});
  return result;
}

// What partial sums begin with that may have no term, under loops of its own.
Stmt beginning_nest(const Sum& sum, const PartialSums& parts, std::size_t axis,
                    const Buffer& partial, Names& names, const std::vector<Buffer>& buffers) {
  Block block;
  block.name = names.fresh(partial.name + "_init");
  block.origin = sum.initial_origin();
  block.iters = spatial_iters(parts.block);
  std::vector<NewLoop> loops;
  for (loop::IterVar& iter : block.iters) {
    loops.push_back({names.fresh(iter.name == parts.part ? "p" : loop_name(iter)), iter.extent});
    iter.binding = expr::variable(loops.back().variable);
  }
  block.body = loop::make(loop::Store{partial.name,
                                      parts.indices(sum, axis),
                                      te::identity(*parts.block.reducer, partial.type),
                                      {}});
  return nest_of(loops, with_regions(std::move(block), buffers));
}

// The sum of the partial sums, under loops of its own.
Stmt adding_nest(const Sum& sum, const PartialSums& parts, std::size_t axis, const Buffer& partial,
                 const For& loop, Names& names, const std::vector<Buffer>& buffers) {
  Block block = sum.block();
  block.predicate = {};
  block.iters = spatial_iters(block);
  block.iters.push_back({parts.part, loop.extent, true, {}});
  std::vector<NewLoop> loops;
  for (loop::IterVar& iter : block.iters) {
    loops.push_back({names.fresh(iter.reduction ? "p" : loop_name(iter)), iter.extent});
    iter.binding = expr::variable(loops.back().variable);
  }
  const Expr part = expr::load(partial.type, partial.name, parts.indices(sum, axis));
  const Expr own = expr::load(partial.type, sum.buffer, sum.indices);
  if (sum.initial)
    block.init = loop::make(loop::Store{sum.buffer, sum.indices, only_store(*sum.initial)->value,
                                        sum.initial_origin_in_sum()});
  block.body =
      loop::make(loop::Store{sum.buffer, sum.indices, te::combine(*block.reducer, own, part), {}});
  return nest_of(loops, with_regions(std::move(block), buffers));
}

Result<Applied> apply_rfactor(const Func& func, std::span<const Argument> arguments) {
  const std::string& name = name_at(arguments, 0);
  const std::string& variable = name_at(arguments, 1);
  const std::int64_t axis = integer_at(arguments, 2);
  const std::string call = fmt::format("rfactor({}, {}, {})", name, variable, axis);
  const Sum sum = TRY(sum_of(call, func, name));
  TRY(find_loop(func, variable));
  const std::vector<const For*> summed = TRY(reduction_loops(call, sum, variable));
  const std::size_t places = std::min(sum.indices.size(), spatial_iters(sum.block()).size());
  if (axis < 0 || axis > static_cast<std::int64_t>(places))
    return illegal(call, name,
                   fmt::format("'{}' has {} dimensions, between which {} is no place", sum.buffer,
                               sum.indices.size(), axis));
  const For& loop = TRY(find_loop(func, variable)).loop();

  Names names(func);
  std::vector<Buffer> buffers = loop::buffers_of(func);
  Buffer partial = *loop::find_buffer(buffers, sum.buffer);
  partial.name = names.fresh(sum.buffer + "_parts");
  partial.scope = loop::Scope::Workspace;
  partial.role = loop::Role::Intermediate;
  partial.shape.insert(partial.shape.begin() + axis, loop.extent);
  buffers.push_back(partial);
  const auto place = static_cast<std::size_t>(axis);
  PartialSums parts = TRY(partial_sums(call, func, sum, summed, variable, place, partial));
  const Stmt adding = adding_nest(sum, parts, place, partial, loop, names, buffers);
  const Stmt beginning =
      sum.initial ? beginning_nest(sum, parts, place, partial, names, buffers) : nullptr;

  Func summing =
      with_body(func, replace(sum.path, loop::make(with_regions(std::move(parts.block), buffers))));
  if (beginning) {
    summing = with_body(summing, without_block(TRY(find_block(summing, sum.initial->name))));
    summing = insert_beside(summing, TRY(find_block(summing, partial.name)), beginning, true);
  }
  const Func both = insert_beside(summing, TRY(find_block(summing, partial.name)), adding, false);
  const bool rounds = is_float(partial.type) && (*sum.block().reducer == te::Reducer::Sum ||
                                                 *sum.block().reducer == te::Reducer::Product);
  return Applied{
      with_allocation(both, partial),
      {partial.name},
      rounds ? "terms of a sum are added in another order, which floating point can tell" : ""};
}

}  // namespace

Primitive rfactor() {
  return {"rfactor",
          "Lets each iteration of a reduction loop sum for itself, into a buffer with a dimension "
          "more, and adds "
          "these partial sums up after all of the block's loops; returns the block of partial "
          "sums, which has "
          "the buffer's name.",
          "for k_o in 8 { for k_i in 16 { S += X[k_o * 16 + k_i] } }",
          "for k_o in 8 { for k_i in 16 { S_parts[k_i] += X[k_o * 16 + k_i] } }  for p in 16 { S "
          "+= S_parts[p] }",
          {{"block", ParameterKind::Block, "a reduction with more than one loop to sum over"},
           {"loop", ParameterKind::Loop, "the reduction loop whose iterations become partial sums",
            choices::loops_around()},
           {"axis", ParameterKind::Integer,
            "where their dimension stands among those of the sum, from 0",
            choices::dimensions_stored()}},
          apply_rfactor};
}

}  // namespace loopglass::schedule
