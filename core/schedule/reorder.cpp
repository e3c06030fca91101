// reorder(loops): nested loops exchange places.
#include "core/dependence/dependence.h"
#include "core/dependence/independence.h"
#include "core/dependence/meeting.h"
#include "core/dependence/witness.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/accesses.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/flow.h"
#include "core/loop/path.h"
#include "core/loop/ranges.h"
#include "core/loop/rewrite.h"
#include "core/loop/walk.h"
#include "core/schedule/choices.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Chain = std::vector<const For*>;

// The loops from the outermost to the innermost of those named, which must be nested without
// anything else between them.
Result<Chain> chain_of(const std::string& call, const Func& func,
                       const std::vector<std::string>& variables, Path& outermost) {
  Path deepest;
  std::size_t depth = 0;
  for (const std::string& variable : variables) {
    Path path = TRY(find_loop(func, variable));
    if (path.statements.size() > depth) {
      depth = path.statements.size();
      deepest = std::move(path);
    }
  }
  std::size_t first = depth;
  for (const std::string& variable : variables) {
    const int index = deepest.index_of_loop(variable);
    if (index < 0)
      return illegal(call, variable,
                     fmt::format("loops '{}' and '{}' are not nested in one another", variable,
                                 deepest.loop().variable));
    first = std::min(first, static_cast<std::size_t>(index));
  }
  Chain chain;
  for (std::size_t i = first; i < depth; ++i) {
    const For* node = as<For>(deepest.statements[i]);
    if (!node)
      return illegal(
          call, deepest.loop().variable,
          fmt::format("something other than a loop stands between '{}' and '{}'",
                      as<For>(deepest.statements[first])->variable, deepest.loop().variable));
    chain.push_back(node);
  }
  outermost.statements.assign(deepest.statements.begin(),
                              deepest.statements.begin() + static_cast<std::ptrdiff_t>(first) + 1);
  return chain;
}

// A sum starts anew whenever its reduction loops begin. Once one of them runs outside a spatial
// loop, an element that two iterations of that loop compute would be started once and summed twice.
Result<void> check_starts(const std::string& call, const Func& func, const Chain& chain) {
  for (const Block* block : blocks_of(chain.back()->body)) {
    const bool sums = block->init && std::any_of(chain.begin(), chain.end(), [&](const For* node) {
                        return use_of(*block, node->variable) == Use::Reduction;
                      });
    if (!sums) continue;
    const Path path = TRY(find_block(func, block->name));
    TRY_VOID(check_summed_once(
        call, path, static_cast<std::size_t>(path.index_of_loop(chain.front()->variable))));
  }
  return {};
}

// Whether the instance of a sum that sets its initial value stays the first: the loops it sums over
// keep their order among themselves, or that instance is the first of each of them, and no other.
// Where one loop chooses element and term at once (a spatial loop and a reduction loop, fused), the
// first instance of an element may be anywhere: only the order there was is known to begin with it.
bool starts_first(const Block& block, const Chain& chain, const Chain& order,
                  const expr::Ranges& ranges) {
  const auto bound = [&](const Chain& loops, bool spatial_too) {
    Chain result = loops;
    std::erase_if(result, [&](const For* node) {
      const Use use = use_of(block, node->variable);
      return use == Use::None || (use == Use::Spatial && !spatial_too);
    });
    return result;
  };
  std::set<std::string> variables;
  for (const loop::IterVar& iter : block.iters) variables.merge(expr::variables_of(iter.binding));
  const bool mixed = std::ranges::any_of(
      variables, [&](const std::string& variable) { return use_of(block, variable) == Use::Both; });
  if (bound(chain, mixed) == bound(order, mixed)) return true;
  return !mixed && starts_at_zero(block, ranges);
}

// A store and another access of the same elements, which the new order may turn round: some
// iteration of the one is before one of the other now and would come after it.
struct Conflict {
  const Access *earlier, *later;
  const For *outer, *inner;  // of the loops that differ, the outermost now and then
  Relations relations;       // of the later one's iteration to the earlier one's
};

// No dependence may be turned round, but for those among the terms of one reduction, and but for
// buffers that hand values from block to block within an iteration and are used nowhere else.
class Dependences {
 public:
  Dependences(const Func& func, const Chain& outside, const Chain& chain, const Chain& order)
      : func_(func),
        outside_(outside),
        chain_(chain),
        order_(order),
        ranges_(ranges_of(func)),
        all_(accesses_of(func.body)),
        accesses_(all_),
        buffers_(loop::buffers_of(func)) {
    std::erase_if(accesses_, [&](const Access& access) {
      return std::ranges::find(access.loops, chain.back()) == access.loops.end();
    });
    for (const Access& store : accesses_)
      if (store.is_store && !flows_.contains(store.buffer))
        flows_[store.buffer] = flows_inside(chain.back()->body, buffer_of(store), ranges_);
    for (const Block* block : blocks_of(chain.back()->body))
      if (block->init && sums_anew(*block)) restarting_.insert(block->name);
  }

  // Whether terms of a reduction change places.
  bool terms_move() const {
    return std::ranges::any_of(accesses_, [&](const Access& store) {
      return store.is_store && same_reduction(store, store) && turned_round(store, store);
    });
  }

  // Tells of one conflict after the other until `tell` returns true.
  template <class Tell>
  void each_conflict(const Tell& tell) const {
    for (const Access& store : accesses_) {
      if (!store.is_store) continue;
      const bool handed_on = flows_.at(store.buffer);
      if (handed_on && is_used_here_alone(store.buffer)) continue;
      for (const Access& other : accesses_) {
        if (other.buffer != store.buffer) continue;
        const bool is_one_sum = !store.block || !restarting_.contains(store.block->name);
        if (is_one_sum && same_reduction(store, other)) continue;
        if (!other.is_store && handed_on) continue;
        if (is_one_sum && starts_sum(store, other) &&
            starts_first(*store.block, chain_, order_, ranges_))
          continue;
        auto found = turned_round(store, other);
        if (!found && &store != &other) found = turned_round(other, store);
        if (found && tell(*found)) return;
      }
    }
  }

  // Two iterations that show it.
  void show(const Conflict& conflict, NearestClash& clash) const {
    if (allocates(chain_.front()->body, conflict.earlier->buffer))
      return;  // each iteration has its own
    clash.offer(nearest_meeting(*conflict.earlier, *conflict.later, conflict.relations, ranges_),
                *conflict.earlier, *conflict.later);
  }

  std::string sentence(const Conflict& conflict) const {
    const std::string change =
        fmt::format("at an earlier '{}' and a later '{}', which would change places",
                    conflict.outer->variable, conflict.inner->variable);
    const Access &earlier = *conflict.earlier, &later = *conflict.later;
    if (&earlier == &later)
      return fmt::format("{}, and perhaps the same element {}", described(earlier, ranges_),
                         change);
    return fmt::format(
        "an iteration may {} elements of '{}' that another iteration writes: {}, "
        "{}, the one {}",
        earlier.is_store && later.is_store ? "write" : "read", earlier.buffer,
        described(earlier, ranges_), described(later, ranges_), change);
  }

 private:
  // Whether another iteration of the loops sums the same element from its own start: then the last
  // one is the one that counts, and its terms are no others' terms.
  bool sums_anew(const Block& block) const {
    const auto path = find_block(func_, block.name);
    return !path ||
           !check_summed_once(
               {}, *path, static_cast<std::size_t>(path->index_of_loop(chain_.front()->variable)));
  }

  const Buffer& buffer_of(const Access& access) const {
    return *loop::find_buffer(buffers_, access.buffer);
  }

  bool is_used_here_alone(const std::string& buffer) const {
    const auto uses = [&](const std::vector<Access>& list) {
      return std::ranges::count_if(list,
                                   [&](const Access& access) { return access.buffer == buffer; });
    };
    return !is_parameter(func_, buffer) && uses(all_) == uses(accesses_);
  }

  static bool allocates(const Stmt& stmt, const std::string& buffer) {
    bool found = false;
    loop::walk(stmt, [&](const Stmt& inner) {
      const auto* alloc = as<loop::Alloc>(inner);
      found = found || (alloc && alloc->buffer.name == buffer);
    });
    return found;
  }

  std::optional<Conflict> turned_round(const Access& earlier, const Access& later) const {
    for (auto now = chain_.begin(); now != chain_.end(); ++now)
      for (auto then = order_.begin(); then != order_.end(); ++then) {
        if (*now == *then) continue;
        // Loops that are outside of both, then or now.
        if (std::find(chain_.begin(), now, *then) != now ||
            std::find(order_.begin(), then, *now) != then)
          continue;
        Relations relations;
        for (const For* node : outside_) relations[node->variable] = Relation::Same;
        relations[(*now)->variable] = Relation::Later;
        relations[(*then)->variable] = Relation::Earlier;
        for (auto same = chain_.begin(); same != now; ++same)
          relations[(*same)->variable] = Relation::Same;
        for (auto same = order_.begin(); same != then; ++same)
          relations[(*same)->variable] = Relation::Same;
        if (may_meet(earlier, later, buffer_of(earlier), relations, ranges_) &&
            !never_meet(earlier, later, relations, ranges_))
          return Conflict{&earlier, &later, *now, *then, std::move(relations)};
      }
    return std::nullopt;
  }

  const Func& func_;
  const Chain &outside_, &chain_, &order_;
  const expr::Ranges ranges_;
  const std::vector<Access> all_;
  std::vector<Access> accesses_;  // inside the loops
  const std::vector<Buffer> buffers_;
  std::map<std::string, bool> flows_;
  std::set<std::string> restarting_;  // blocks
};

// The chain with those that are wanted at each other's places.
Chain ordered(const Chain& chain, const std::vector<std::string>& wanted) {
  Chain order;
  std::size_t next = 0;
  for (const For* node : chain) {
    const bool moves = std::find(wanted.begin(), wanted.end(), node->variable) != wanted.end();
    const std::string variable = moves ? wanted[next++] : node->variable;
    order.push_back(*std::find_if(chain.begin(), chain.end(),
                                  [&](const For* other) { return other->variable == variable; }));
  }
  return order;
}

struct LoopsToReorder {
  Path outermost;
  Chain chain, order;
};

// The loops as they are and as they are to be, where nothing but a dependence can be in the way.
Result<LoopsToReorder> loops_to_reorder(const std::string& call, const Func& func,
                                        const std::vector<std::string>& wanted) {
  if (wanted.size() < 2) return illegal(call, call, "needs at least two loops");
  if (std::set<std::string>(wanted.begin(), wanted.end()).size() != wanted.size())
    return illegal(call, wanted[0], "a loop is named twice");
  LoopsToReorder loops;
  loops.chain = TRY(chain_of(call, func, wanted, loops.outermost));
  loops.order = ordered(loops.chain, wanted);
  const Chain& order = loops.order;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i; j < order.size(); ++j)
      if (expr::uses_variable(order[i]->extent, order[j]->variable))
        return illegal(call, order[i]->variable,
                       fmt::format("its extent depends on '{}', which would run inside it",
                                   order[j]->variable));
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->kind == loop::ForKind::Parallel)
      return illegal(call, order[i]->variable, "a parallel loop must stay outermost");
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i + 1; j < order.size(); ++j)
      if (loop::is_thread_axis(order[i]->kind) && loop::is_block_axis(order[j]->kind))
        return illegal(call, order[j]->variable,
                       fmt::format("{} would run inside {}: threads are of a block",
                                   loop::name(order[j]->kind), loop::name(order[i]->kind)));
  return loops;
}

// A loop whose iterations run in any order, or at once, makes that promise for all that runs inside
// it: once a loop that was around it is inside, it has to be asked anew.
Chain to_be_asked_anew(const Chain& chain, const Chain& order) {
  Chain found;
  for (auto node = order.begin(); node != order.end(); ++node) {
    const loop::ForKind kind = (*node)->kind;
    if (kind == loop::ForKind::Serial || kind == loop::ForKind::Unrolled) continue;
    const auto before = std::ranges::find(chain, *node);
    const bool gains = std::any_of(node + 1, order.end(), [&](const For* inner) {
      return std::find(chain.begin(), before, inner) != before;
    });
    if (gains) found.push_back(*node);
  }
  return found;
}

Func reordered(const Func& func, const Path& outermost, const Chain& chain, const Chain& order) {
  Stmt body = chain.back()->body;
  for (std::size_t i = order.size(); i-- > 0;) body = loop::over(*order[i], body);
  return with_body(func, replace(outermost, body));
}

Search witness_reorder(const Func& func, std::span<const Argument> arguments) {
  const auto placing = loops_to_reorder("reorder", func, names_at(arguments, 0));
  if (!placing) return {};
  const auto& [outermost, chain, order] = *placing;
  const Chain outside = outermost.loops();
  const Dependences dependences(func, outside, chain, order);
  NearestClash nearest;
  dependences.each_conflict([&](const Conflict& conflict) {
    dependences.show(conflict, nearest);
    return false;
  });
  return std::move(nearest).or_else([&] {
    const Func after = reordered(func, outermost, chain, order);
    for (const For* node : to_be_asked_anew(chain, order)) {
      const auto path = find_loop(after, node->variable);
      if (!path) continue;
      Search clash = clash_of_iterations(after, *path, private_buffers(node->kind, *path));
      if (clash.witness) return clash;
    }
    std::vector<std::string> variables;
    for (const For* node : order) variables.push_back(node->variable);
    return run_for_clash_of_order(func, variables);
  });
}

Result<Applied> apply_reorder(const Func& func, std::span<const Argument> arguments) {
  const std::vector<std::string>& wanted = names_at(arguments, 0);
  const std::string call = fmt::format("reorder([{}])", fmt::join(wanted, ", "));
  const auto [outermost, chain, order] = TRY(loops_to_reorder(call, func, wanted));
  TRY_VOID(check_starts(call, func, chain));
  const Chain outside = outermost.loops();
  const Dependences dependences(func, outside, chain, order);
  std::optional<Conflict> conflict;
  dependences.each_conflict([&](const Conflict& found) {
    conflict = found;
    return true;
  });
  if (conflict) return illegal(call, conflict->outer->variable, dependences.sentence(*conflict));

  Func after = reordered(func, outermost, chain, order);
  for (const For* node : to_be_asked_anew(chain, order)) {
    const Path path = TRY(find_loop(after, node->variable));
    TRY_VOID(check_independent(call, after, path, private_buffers(node->kind, path)));
  }
  return Applied{std::move(after),
                 {},
                 dependences.terms_move()
                     ? "terms of a sum are added in another order, which floating point can tell"
                     : ""};
}

}  // namespace

Primitive reorder() {
  return {"reorder",
          "Puts nested loops into the order given; loops not named keep their places.",
          "for y in 4 { for x in 8 { ... } }",
          "for x in 8 { for y in 4 { ... } }",
          {{"loops", ParameterKind::Loops, "the loops in their new order, outermost first",
            choices::exchanged_pairs()}},
          apply_reorder,
          witness_reorder};
}

}  // namespace loopglass::schedule
