// Operands whose elements lie apart where a tile would have them side by side, as in a convolution
// of stride 2: they are copied, or laid out, so that they lie side by side.
//
// Of the input that every filter reads, but of which only each fourth element is read, a copy has
// what is read alone, pixel by pixel or as the image lies, and tiles reach from row to row. Of an
// image with a border, which is a copy already, the even columns lie before the odd ones, so that
// lanes are neighbours. Each pays where a tile then takes so many cycles less, by counting, that
// the copy is made up for; the best of them is taken.
#include "core/default_schedule/rules.h"
#include "core/default_schedule/tile_order.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr double worthwhile = 0.93;      // of the cycles that the block took before
constexpr double copied_element = 2;     // cycles, to fetch it from anywhere and store it
constexpr double copied_in_row = 1;      // where elements that are neighbours go beside one another
constexpr std::int64_t most_phases = 4;  // strides that images are taken apart for

Diagnostic lies_together(const std::string& block) {
  return {Code::ScheduleIllegal,
          fmt::format("what '{}' reads lies side by side, or would gain nothing by it", block),
          block,
          {}};
}

double cycles_of(const BlockAnalysis& block, const Machine& machine) {
  return std::min(plan_tiles(block, machine).cycles, plan_tiles(unmerged(block), machine).cycles);
}

bool is_reduced(const BlockAnalysis& block, std::size_t iter) {
  return std::ranges::find(block.reductions, iter) != block.reductions.end();
}

// How often an operand is read by its own iterations.
std::int64_t places_read(const Operand& operand, const BlockAnalysis& block) {
  std::int64_t places = 1;
  for (std::size_t i = 0; i < block.extents.size(); ++i)
    if (operand.uses(i)) places *= block.extents[i];
  return places;
}

// The dimensions of a copy that is read by iterations, those that are not summed over first.
struct Dimensions {
  std::vector<std::size_t> spatial, reduced;
};
Dimensions dimensions_of(const Operand& copy, const BlockAnalysis& block) {
  Dimensions dimensions;
  for (std::size_t d = 0; d < copy.indices.size(); ++d) {
    const auto* variable = copy.indices[d].as<expr::Variable>();
    const auto iter = std::ranges::find(block.iter_names, variable ? variable->name : "");
    const bool reduced =
        is_reduced(block, static_cast<std::size_t>(iter - block.iter_names.begin()));
    (reduced ? dimensions.reduced : dimensions.spatial).push_back(d);
  }
  return dimensions;
}

// The dimension in which the operand moves by more than one with an iteration that is not summed
// over, and by how much.
struct Stride {
  std::size_t dimension;
  std::int64_t step;
};
std::optional<Stride> stride_of(const Operand& operand, const BlockAnalysis& block) {
  for (std::size_t d = operand.indices.size(); d-- > 0;)
    for (std::size_t i = block.extents.size(); i-- > 0;) {
      if (block.extents[i] == 1 || is_reduced(block, i) ||
          !expr::uses_variable(operand.indices[d], block.iter_names[i]))
        continue;
      const auto step = expr::coefficient(operand.indices[d], block.iter_names[i]);
      if (step && *step > 1 && *step <= most_phases) return Stride{d, *step};
    }
  return std::nullopt;
}

// A copy of what is read alone, which lies as the image does; its name.
Result<std::string> copy_as_it_lies(Draft& draft, const BlockAnalysis& block,
                                    const Operand& operand) {
  // Were most of it read, it would lie together as well as the copy.
  if (2 * places_read(operand, block) > operand.elements)
    return std::unexpected(lies_together(block.name));
  return draft.reindex(block.name, operand.buffer, "workspace");
}

// Rows are made by vectors; the cycles that it takes.
Result<double> copy_rows(Draft& draft, const BlockAnalysis& block, const Operand& operand) {
  const auto stride = stride_of(operand, block);
  if (!stride || stride->dimension + 1 != operand.indices.size())
    return std::unexpected(lies_together(block.name));
  TRY_VOID(copy_as_it_lies(draft, block, operand));
  return static_cast<double>(places_read(operand, block)) * copied_in_row;
}

// Pixel by pixel; the cycles that it takes. It is made row by row of the image, of each row all
// terms: what is fetched of a line is used before the next, and only a row of pixels is stored to
// at once.
Result<double> copy_pixels(Draft& draft, const BlockAnalysis& block, const Operand& operand) {
  const std::string copy = TRY(copy_as_it_lies(draft, block, operand));
  const auto reading = analyse(draft.func(), block.name);
  if (!reading) return std::unexpected(lies_together(block.name));
  const auto read = std::ranges::find(reading->operands, copy, &Operand::buffer);
  const Dimensions dimensions = dimensions_of(*read, *reading);
  const auto& [spatial, reduced] = dimensions;
  if (spatial.empty() || reduced.empty()) return std::unexpected(lies_together(block.name));
  std::vector<std::string> names, order;
  for (std::size_t d = 0; d < read->indices.size(); ++d) names.push_back(fmt::format("d{}", d));
  const Draft::Names loops = TRY(draft.loops(copy));
  Draft::Names turning;
  for (const std::size_t d : spatial) {
    order.push_back(names[d]);
    if (d != spatial.back()) turning.push_back(loops[d]);
  }
  for (const std::size_t d : reduced) {
    order.push_back(names[d]);
    turning.push_back(loops[d]);
  }
  turning.push_back(loops[spatial.back()]);
  if (order != names)
    TRY_VOID(draft.transform_layout(
        copy, fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(order, " "))));
  if (turning != loops) TRY_VOID(draft.reorder(turning));
  return static_cast<double>(places_read(operand, block)) * copied_element;
}

// Every step-th column together, and columns innermost.
Result<double> part_columns(Draft& draft, const BlockAnalysis& block, const Operand& operand) {
  const auto stride = stride_of(operand, block);
  if (!stride || operand.parameter) return std::unexpected(lies_together(block.name));
  std::vector<std::string> names, order;
  for (std::size_t d = 0; d < operand.indices.size(); ++d) {
    names.push_back(fmt::format("d{}", d));
    if (d != stride->dimension) order.push_back(names.back());
  }
  order.push_back(fmt::format("d{}%{}", stride->dimension, stride->step));
  order.push_back(fmt::format("d{}/{}", stride->dimension, stride->step));
  TRY_VOID(draft.transform_layout(
      operand.buffer, fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(order, " "))));
  // It is a copy already: its elements go elsewhere, one by one.
  return static_cast<double>(operand.elements) * copied_element;
}

// Of an operand whose terms lie apart, that comes from memory, and that a copy would walk through
// in a row.
double waited_for_memory(const BlockAnalysis& block, std::size_t operand, const Machine& machine) {
  return jumps(block, operand) && is_beyond_caches(block.operands[operand], machine)
             ? static_cast<double>(bytes_of(block.operands[operand])) *
                   cycles_of_jumping_byte(machine)
             : 0;
}

}  // namespace

Result<void> bring_together(Draft& draft, const std::string& reduction, const Machine& machine) {
  const auto block = analyse(draft.func(), reduction);
  if (!block || block->asks_where_it_is || !draft.result().symbols.empty())
    return std::unexpected(lies_together(reduction));
  const double before = cycles_of(*block, machine);
  for (std::size_t o = 0; o < block->operands.size(); ++o) {
    const Operand& operand = block->operands[o];
    if (operand.is_store || operand.constant) continue;
    const double waited = waited_for_memory(*block, o, machine);
    double least = worthwhile * (before + waited);
    std::optional<Draft> best;
    for (const auto change : {copy_rows, copy_pixels, part_columns}) {
      Draft attempt = draft;
      const auto cost = change(attempt, *block, operand);
      const auto changed = cost ? analyse(attempt.func(), reduction) : std::nullopt;
      if (!changed) continue;
      // What is a copy already comes from there.
      const double cycles =
          cycles_of(*changed, machine) + *cost + (change == part_columns ? waited : 0);
      if (cycles > least) continue;
      least = cycles;
      best = std::move(attempt);
    }
    if (!best) continue;
    draft = *std::move(best);
    return {};
  }
  return std::unexpected(lies_together(reduction));
}

}  // namespace loopglass::schedule
