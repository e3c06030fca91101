// reorder(loops): nested loops exchange places.
#include "core/schedule/nest.h"
#include "core/schedule/primitive_list.h"
#include "core/schedule/region.h"
#include "core/schedule/summed_once.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::schedule {

namespace {

using loop::as;

// The loops from the outermost to the innermost of those named, which must be nested without
// anything else between them.
Result<std::vector<const For*>> chain_of(const std::string& call, const Func& func,
                                         const std::vector<std::string>& variables,
                                         Path& outermost) {
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
  std::vector<const For*> chain;
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

// Several blocks below would see one another's values in another order if one of them sums over a
// loop that moves.
Result<void> check_sums(const std::string& call, const std::vector<const For*>& chain) {
  const std::vector<const Block*> blocks = blocks_of(chain.back()->body);
  if (blocks.size() < 2) return {};
  for (const Block* block : blocks)
    for (const loop::IterVar& iter : block->iters)
      for (const For* node : chain)
        if (iter.reduction && expr::uses_variable(iter.binding, node->variable))
          return illegal(
              call, node->variable,
              fmt::format("'{}' sums over '{}' beside other blocks in the same loops, which may "
                          "read the sum before it is complete",
                          block->name, node->variable));
  return {};
}

// A sum starts anew whenever its reduction loops begin. Once one of them runs outside a spatial
// loop, an element that two iterations of that loop compute would be started once and summed twice.
Result<void> check_starts(const std::string& call, const Func& func,
                          const std::vector<const For*>& chain) {
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

// Values may pass from block to block within an iteration, not from one iteration to another.
Result<void> check_flow(const std::string& call, const Func& func, const Path& outermost,
                        const std::vector<const For*>& chain) {
  expr::Ranges ranges = ranges_of(outermost.loops());
  for (const For* node : chain) add_range(ranges, node->variable, node->extent);
  const Stmt& body = chain.back()->body;
  const std::vector<Access> accesses = accesses_of(body);
  const std::vector<Buffer> buffers = loop::buffers_of(func);
  for (const Access& access : accesses) {
    if (!access.is_store) continue;
    const bool read = std::any_of(accesses.begin(), accesses.end(), [&](const Access& other) {
      return other.buffer == access.buffer && !other.is_store && !other.of_own_sum;
    });
    if (read && !flows_inside(body, *loop::find_buffer(buffers, access.buffer), ranges))
      return illegal(
          call, chain.front()->variable,
          fmt::format("an iteration may read elements of '{}' that another iteration writes",
                      access.buffer));
  }
  return {};
}

bool moves_a_sum(const Stmt& body, const std::vector<std::string>& variables) {
  int moved = 0;
  for (const Block* block : blocks_of(body))
    for (const loop::IterVar& iter : block->iters)
      for (const std::string& variable : variables)
        moved += iter.reduction && block->reducer && expr::uses_variable(iter.binding, variable);
  return moved > 1;
}

Result<Applied> apply(const Func& func, std::span<const Argument> arguments) {
  const std::vector<std::string>& wanted = names_at(arguments, 0);
  const std::string call = fmt::format("reorder({})", fmt::join(wanted, ", "));
  if (wanted.size() < 2) return illegal(call, call, "needs at least two loops");
  if (std::set<std::string>(wanted.begin(), wanted.end()).size() != wanted.size())
    return illegal(call, wanted[0], "a loop is named twice");
  Path outermost;
  const std::vector<const For*> chain = TRY(chain_of(call, func, wanted, outermost));
  TRY_VOID(check_sums(call, chain));
  TRY_VOID(check_flow(call, func, outermost, chain));
  TRY_VOID(check_starts(call, func, chain));

  std::vector<const For*> order;
  std::size_t next = 0;
  for (const For* node : chain) {
    const bool moves = std::find(wanted.begin(), wanted.end(), node->variable) != wanted.end();
    const std::string variable = moves ? wanted[next++] : node->variable;
    order.push_back(*std::find_if(chain.begin(), chain.end(),
                                  [&](const For* other) { return other->variable == variable; }));
  }
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = i; j < order.size(); ++j)
      if (expr::uses_variable(order[i]->extent, order[j]->variable))
        return illegal(call, order[i]->variable,
                       fmt::format("its extent depends on '{}', which would run inside it",
                                   order[j]->variable));
  for (std::size_t i = 1; i < order.size(); ++i)
    if (order[i]->kind == loop::ForKind::Parallel)
      return illegal(call, order[i]->variable, "a parallel loop must stay outermost");

  Stmt body = chain.back()->body;
  const bool sums = moves_a_sum(body, wanted);
  for (std::size_t i = order.size(); i-- > 0;)
    body = loop::make(For{order[i]->variable, order[i]->extent, order[i]->kind, body});
  return Applied{
      with_body(func, replace(outermost, body)),
      {},
      sums ? "terms of a sum are added in another order, which floating point can tell" : ""};
}

}  // namespace

Primitive reorder() {
  return {"reorder",
          "Puts nested loops into the order given; loops not named keep their places.",
          "for y in 4 { for x in 8 { ... } }",
          "for x in 8 { for y in 4 { ... } }",
          {{"loops", ParameterKind::Loops, "the loops in their new order, outermost first"}},
          apply};
}

}  // namespace loopglass::schedule
