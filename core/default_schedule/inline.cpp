// Which elementwise blocks the default schedule inlines.
//
// Into other elementwise blocks whenever that repeats no costly work; into a reduction that reads
// each element about once; but into a reduction with reuse (a dense convolution's padding, say)
// only where nothing is computed and the reads stay regular. Expressions must not grow without
// bound, since a chain that uses each value twice doubles at every step.
#include "core/default_schedule/rules.h"
#include "core/expr/operators.h"
#include "core/expr/rewrite.h"
#include "core/loop/blocks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::size_t largest_expression = 400;        // nodes of a block's value after inlining
constexpr std::int64_t most_reads_across_border = 26;  // of one element: those of a 5 x 5 window

// Counts nodes as written out: a shared subexpression counts each time, up to a limit.
class Written {
 public:
  explicit Written(std::function<std::size_t(const Expr&)> weight) : weight_(std::move(weight)) {}

  std::size_t count(const Expr& e) {
    if (counts_.size() > 2 * largest_expression) return 2 * largest_expression;
    if (const auto known = counts_.find(e.get()); known != counts_.end()) return known->second;
    std::size_t below = 0;
    expr::each_operand(e, [&](const Expr& operand) { below += count(operand); });
    return counts_[e.get()] = std::min(weight_(e) + below, 2 * largest_expression);
  }

 private:
  std::function<std::size_t(const Expr&)> weight_;
  std::map<const expr::Node*, std::size_t> counts_;
};

std::size_t size_of(const Expr& e) {
  return Written([](const Expr&) { return 1; }).count(e);
}

std::size_t loads_in(const Expr& e) {
  return Written([](const Expr& node) -> std::size_t { return node.as<expr::Load>() != nullptr; })
      .count(e);
}

// Reads several elements of one buffer.
bool blends_neighbours(const Expr& e) {
  std::map<std::string, std::set<const expr::Node*>> loads;
  expr::visit(e, [&](const Expr& node) {
    if (const auto* load = node.as<expr::Load>()) loads[load->buffer].insert(node.get());
  });
  return std::ranges::any_of(loads, [](const auto& entry) { return entry.second.size() > 1; });
}

std::size_t uses_in(const Expr& e, const std::string& buffer) {
  return Written([&](const Expr& node) -> std::size_t {
           const auto* load = node.as<expr::Load>();
           return load && load->buffer == buffer;
         })
      .count(e);
}

// More than an instruction or two; division of indices is by constants.
bool has_costly(const Expr& e) {
  using expr::Work;
  bool found = false;
  expr::visit(e, [&](const Expr& node) {
    if (const auto* unary = node.as<expr::Unary>()) found |= expr::work(unary->op) != Work::Simple;
    if (const auto* binary = node.as<expr::Binary>())
      found |= expr::work(binary->op) == Work::Function ||
               (expr::work(binary->op) == Work::Division && node.type() != DataType::Int64);
  });
  return found;
}

std::int64_t points(const Block& block) {
  std::int64_t product = 1;
  for (const loop::IterVar& iter : block.iters)
    product = std::min<std::int64_t>(
        std::int64_t{1} << 40,
        product * std::max<std::int64_t>(1, expr::as_integer(iter.extent).value_or(1)));
  return product;
}

// Only moves elements: the value is a load, perhaps converted.
bool only_moves(const loop::Store& store) {
  if (const auto* cast = store.value.as<expr::Cast>()) return cast->operand.as<expr::Load>();
  return store.value.as<expr::Load>();
}

// Every index a constant or iteration variable, each used once: a permutation or a slice.
bool is_permutation(const loop::Store& store) {
  const auto* cast = store.value.as<expr::Cast>();
  const auto* load = (cast ? cast->operand : store.value).as<expr::Load>();
  return load && std::all_of(load->indices.begin(), load->indices.end(), [](const Expr& index) {
           return index.as<expr::Variable>() || expr::as_integer(index);
         });
}

// A transposed operand would lose its unit steps inside a reduction with reuse.
bool keeps_innermost(const loop::Store& store) {
  const auto* cast = store.value.as<expr::Cast>();
  const auto* load = (cast ? cast->operand : store.value).as<expr::Load>();
  if (!load || load->indices.empty() || store.indices.empty()) return true;
  return expr::same(load->indices.back(), store.indices.back());
}

// A border put around a tensor: the element, or a constant where there is none. Vectors along the
// innermost axis ask once for all their lanes.
bool is_border(const loop::Store& store) {
  const auto* choice = store.value.as<expr::Select>();
  if (!choice || !choice->when_true.as<expr::Load>() || expr::has_load(choice->when_false) ||
      store.indices.empty())
    return false;
  const auto* innermost = store.indices.back().as<expr::Variable>();
  return innermost && !expr::has_load(choice->condition) &&
         !expr::uses_variable(choice->condition, innermost->name);
}

// A copy that turns what it reads, in tiles (transposes.cpp): both innermost axes are as long as
// one.
bool turns(const Block& copy) {
  constexpr std::int64_t tile = 16;
  const loop::Store& store = *only_store(copy);
  const auto extent_of = [&](const Expr& index) {
    const auto* variable = index.as<expr::Variable>();
    for (const loop::IterVar& iter : copy.iters)
      if (variable && iter.name == variable->name) return expr::as_integer(iter.extent).value_or(0);
    return std::int64_t{0};
  };
  const auto* load = store.value.as<expr::Load>();
  return load && is_permutation(store) && !keeps_innermost(store) &&
         extent_of(load->indices.back()) >= tile && extent_of(store.indices.back()) >= tile;
}

// What asks where it is, as at the borders of images, or reads several elements of one buffer goes
// along what it reads: across it, there would be a load for each element.
bool goes_along_what_it_reads(const Expr& value) {
  bool chooses = false;
  expr::visit(value, [&](const Expr& node) {
    const auto* select = node.as<expr::Select>();
    chooses =
        chooses || (select && !expr::has_load(select->condition) &&
                    (expr::has_load(select->when_true) || expr::has_load(select->when_false)));
  });
  return chooses || blends_neighbours(value);
}

bool worth_inlining(const Block& block, const loop::Store& store, const Block& consumer,
                    std::size_t consumers) {
  const loop::Store* into = only_store(consumer);
  const std::size_t size = into ? size_of(into->value) : 0;
  if (!into || size > largest_expression) return false;
  const std::size_t uses = std::max<std::size_t>(1, uses_in(into->value, store.buffer));
  if (size + uses * size_of(store.value) > largest_expression) return false;
  const std::int64_t produced = points(block),
                     evaluations = points(consumer) * static_cast<std::int64_t>(uses);
  if (has_costly(store.value) && (consumers > 1 || evaluations > produced + produced / 4))
    return false;
  if (!has_reduction(consumer) && turns(consumer) && goes_along_what_it_reads(store.value))
    return false;
  // What blends elements is blended once where its results are read several times each.
  if (!has_reduction(consumer))
    return !blends_neighbours(store.value) || evaluations <= 3 * produced;
  if (only_moves(store) && is_permutation(store)) return keeps_innermost(store);
  // A copy with its border costs as much as the few reads of it, by a depthwise convolution say.
  if (is_border(store) && consumers == 1 && evaluations <= most_reads_across_border * produced)
    return true;
  // What reads several elements for each of its own is not done much more often than once.
  const std::int64_t most = loads_in(store.value) > 1 ? produced + produced / 4 : 2 * produced;
  return consumers == 1 && evaluations <= most;
}

std::vector<const Block*> readers_of(const NestList& nests, const std::string& buffer) {
  std::vector<const Block*> readers;
  for (const std::size_t position : nests.readers_of(buffer)) {
    const std::vector<const Block*>& blocks = nests.blocks_in(position);
    // A nest of one block need not be read again for it.
    if (blocks.size() == 1 && !nests.writers_of(buffer).contains(position))
      readers.push_back(blocks.front());
    else
      std::copy_if(blocks.begin(), blocks.end(), std::back_inserter(readers),
                   [&](const Block* block) { return reads(*block, buffer); });
  }
  return readers;
}

}  // namespace

bool is_worth_inlining(const NestList& nests, const std::string& name) {
  const Block& block = nests.block(name);
  const loop::Store* store = only_store(block);
  if (!store || has_reduction(block) || nests.parameter(store->buffer)) return false;
  const std::vector<const Block*> consumers = readers_of(nests, store->buffer);
  return !consumers.empty() &&
         std::all_of(consumers.begin(), consumers.end(), [&](const Block* consumer) {
           return worth_inlining(block, *store, *consumer, consumers.size());
         });
}

}  // namespace loopglass::schedule
