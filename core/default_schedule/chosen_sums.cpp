// Blocks whose value is one of a few, chosen by an index, as the rows of a matrix that is known:
//
//   Y[i, n, c] = select(i == 0, X[0, n, c] + X[1, n, c], select(i == 1, X[1, n, c] - X[2, n, c],
//   ...))
//
// The loop over such an index is unrolled inside all others, so that each copy knows which it is
// and what another copy would compute is not there. What is chosen from in two steps, down the
// columns and along the rows of a tile, stays in registers in between.
//
//   other loops (parallel) | producers of the tile | chosen indices (unrolled) | lanes (vectorized)
#include "core/default_schedule/loop_cost.h"
#include "core/default_schedule/rules.h"
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Names = Draft::Names;

constexpr std::int64_t most_choices = 16;  // along an axis; longer ones are no choices but tables

Diagnostic chooses_nothing(const std::string& block) {
  return {Code::ScheduleIllegal,
          fmt::format("'{}' does not choose among sums by an index", block),
          block,
          {}};
}

// By iteration, how many indices in a row choose each something else: the iteration is compared, or
// its remainder by so many.
using Choices = std::map<std::size_t, std::int64_t>;
Choices choices_of(const Block& block) {
  Choices choices;
  const loop::Store* store = only_store(block);
  if (!store || has_reduction(block)) return choices;
  expr::visit(store->value, [&](const Expr& e) {
    const auto* select = e.as<expr::Select>();
    const auto* test = select ? select->condition.as<expr::Binary>() : nullptr;
    if (!test || test->op != expr::BinaryOperator::Equal || !expr::as_integer(test->right)) return;
    const auto* remainder = test->left.as<expr::Binary>();
    const bool by_remainder = remainder && remainder->op == expr::BinaryOperator::FloorMod;
    const auto* variable = (by_remainder ? remainder->left : test->left).as<expr::Variable>();
    if (!variable) return;
    const auto iter = std::ranges::find(block.iters, variable->name, &loop::IterVar::name);
    if (iter == block.iters.end()) return;
    const std::int64_t extent = expr::as_integer(iter->extent).value_or(0),
                       count =
                           by_remainder ? expr::as_integer(remainder->right).value_or(0) : extent;
    std::int64_t& known = choices[static_cast<std::size_t>(iter - block.iters.begin())];
    known = std::max(known, count);
  });
  std::erase_if(choices, [](const auto& choice) {
    return choice.second < 2 || choice.second > most_choices;
  });
  return choices;
}

// The axis along which vectors are stored, which nothing is chosen by; nullopt: there is none.
std::optional<std::size_t> lane_axis(const BlockAnalysis& block, const Choices& choices) {
  for (std::size_t i = 0; i < block.extents.size(); ++i)
    if (block.store().steps[i] == 1 && block.extents[i] > 1 && !choices.contains(i)) return i;
  return std::nullopt;
}

// Elementwise blocks whose results these alone read, nearest first.
std::vector<std::string> producers_of(const Func& func, const std::string& consumer) {
  std::vector<std::string> chain{consumer};
  for (std::size_t next = 0; next < chain.size(); ++next)
    for (const expr::Load* load : loads_of(find_block(func, chain[next])->block())) {
      if (is_parameter(func, load->buffer)) continue;
      const auto writers = writers_of(func.body, load->buffer);
      const auto readers = readers_of(func.body, load->buffer);
      const bool is_ours = writers.size() == 1 && !has_reduction(*writers.front()) &&
                           only_store(*writers.front()) &&
                           std::ranges::all_of(readers, [&](const Block* reader) {
                             return std::ranges::find(chain, reader->name) != chain.end();
                           });
      if (is_ours && std::ranges::find(chain, writers.front()->name) == chain.end())
        chain.push_back(writers.front()->name);
    }
  chain.erase(chain.begin());
  return chain;
}

// A producer in the tile: unrolled but for the lanes.
Result<void> finish_producer(Draft& draft, const std::string& producer, Names loops,
                             std::int64_t lanes) {
  const auto path = TRY(find_block(draft.func(), producer));
  const auto extent_of = [&](const std::string& name) {
    for (const For* loop : path.loops())
      if (loop->variable == name) return expr::as_integer(loop->extent).value_or(0);
    return std::int64_t{0};
  };
  std::string along;
  for (const std::string& name : loops)
    if (extent_of(name) == lanes) along = name;
  if (along.empty()) return std::unexpected(chooses_nothing(producer));
  std::erase(loops, along);
  Names order = loops;
  order.push_back(along);
  if (order.size() > 1) TRY_VOID(draft.reorder(order));
  for (const std::string& name : loops) TRY_VOID(draft.unroll(name));
  return draft.vectorize(along);
}

}  // namespace

bool is_chosen_sum(const Block& block) { return !choices_of(block).empty(); }

Result<std::vector<std::string>> schedule_chosen_sums(Draft& draft, const std::string& name,
                                                      const Machine& machine) {
  const auto block = analyse(draft.func(), name);
  if (!block) return std::unexpected(chooses_nothing(name));
  const Choices choices = choices_of(find_block(draft.func(), name)->block());
  const auto along = lane_axis(*block, choices);
  const std::int64_t lanes = machine.lanes(block->widest_bytes);
  if (choices.empty() || !along || lanes < 2 || block->extents[*along] % lanes != 0)
    return std::unexpected(chooses_nothing(name));

  const double cycles = elementwise_cycles(draft.func(), *block, machine);
  const Names loops = TRY(draft.loops(name));
  Names outer, chosen;
  std::string vectors, lane;
  for (std::size_t i = 0; i < loops.size(); ++i) {
    if (const auto choice = choices.find(i); choice != choices.end()) {
      if (choice->second == block->extents[i]) {
        chosen.push_back(loops[i]);
        continue;
      }
      const Names halves = TRY(draft.split(loops[i], {-1, choice->second}));
      outer.push_back(halves[0]);
      chosen.push_back(halves[1]);
    } else if (i == *along) {
      const Names halves = TRY(draft.split(loops[i], {-1, lanes}));
      vectors = halves[0];
      lane = halves[1];
    } else {
      outer.push_back(loops[i]);
    }
  }
  outer.push_back(vectors);
  Names order = outer;
  order.insert(order.end(), chosen.begin(), chosen.end());
  order.push_back(lane);
  TRY_VOID(draft.reorder(order));
  const std::vector<std::string> producers = producers_of(draft.func(), name);
  for (const std::string& producer : producers)
    TRY_VOID(finish_producer(draft, producer, TRY(draft.compute_at(producer, vectors)), lanes));
  for (const std::string& loop : chosen) TRY_VOID(draft.unroll(loop));
  TRY_VOID(draft.vectorize(lane));
  TRY_VOID(parallelise(draft, outer, cycles));
  std::vector<std::string> done = producers;
  done.push_back(name);
  return done;
}

}  // namespace loopglass::schedule
