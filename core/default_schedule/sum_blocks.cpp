#include "core/default_schedule/sum_blocks.h"

#include "core/default_schedule/lane_plan.h"
#include "core/support/ceil_div.h"

#include <algorithm>

namespace loopglass::schedule {

namespace {

// A block of lanes: some dozens of terms in each, and work enough that another thread may take it.
constexpr std::int64_t lanes_length = 8 << 10;
constexpr std::int64_t tile_length = 256;  // of a tile: the terms of one accumulator
// Operands read several times each are worth a tile that keeps them; then only sums of few elements
// are cut, into partial sums that stay in a cache.
constexpr double several_times = 4;
constexpr std::int64_t most_partial_sums = 256 << 10;

// The length of parts of an extent, at most about `length`: one that divides it if there is one not
// much shorter, or else such that the last part is the shortest by little.
std::int64_t part_of(std::int64_t extent, std::int64_t length, std::int64_t multiple) {
  const std::int64_t fewest = ceil_div(extent, length);
  for (std::int64_t parts = fewest; parts <= 2 * fewest; ++parts)
    if (extent % parts == 0 && extent / parts % multiple == 0) return extent / parts;
  return ceil_div(ceil_div(extent, fewest), multiple) * multiple;
}

double elements_read(const BlockAnalysis& block) {
  double elements = 0;
  for (std::size_t o = 1; o < block.operands.size(); ++o) {
    double size = 1;
    for (std::size_t i = 0; i < block.extents.size(); ++i)
      if (block.operands[o].uses(i)) size *= static_cast<double>(block.extents[i]);
    elements += size;
  }
  return elements;
}

struct Blocks {
  std::int64_t longest, length, multiple = 1;  // terms; see cut_loops
  bool lanes = false;
};

std::optional<Blocks> blocks_for(const BlockAnalysis& block, const Machine& machine) {
  const auto lanes = plan_lanes(block, machine);
  const double evaluations =
      static_cast<double>(block.spatial_points) * static_cast<double>(block.reduction_points);
  const bool has_constant = std::ranges::any_of(block.operands, &Operand::constant);
  const auto partial_sums = block.spatial_points * ceil_div(block.reduction_points, lanes_length);
  Blocks blocks{2 * lanes_length, lanes_length};
  if (has_constant || evaluations > several_times * elements_read(block)) {
    if (partial_sums > most_partial_sums) return std::nullopt;
  } else if (!lanes) {
    const bool of_one = block.operands.size() == 2;
    blocks = of_one ? Blocks{2 * tile_length, tile_length} : Blocks{longest_run, run_length};
  }
  if (lanes) {
    blocks.multiple = lanes->lanes;
    blocks.lanes = true;
  }
  return block.reduction_points > blocks.longest ? std::optional(blocks) : std::nullopt;
}

}  // namespace

Result<std::optional<CutLoops>> cut_loops(Draft& draft, std::vector<SummedLoop> loops,
                                          std::int64_t longest, std::int64_t length,
                                          std::int64_t multiple) {
  double points = 1;
  for (const SummedLoop& loop : loops) points *= static_cast<double>(loop.extent);
  if (points <= static_cast<double>(longest)) return std::nullopt;
  CutLoops cut;
  while (!loops.empty() && loops.back().extent <= length) {
    length /= std::max<std::int64_t>(1, loops.back().extent);
    multiple = 1;
    cut.inner.insert(cut.inner.begin(), loops.back());
    loops.pop_back();
  }
  Draft::Names outer;
  for (const SummedLoop& loop : loops) outer.push_back(loop.variable);
  if (!loops.empty() && (length > 1 || cut.inner.empty())) {
    const std::int64_t part = part_of(loops.back().extent, std::max(length, multiple), multiple);
    if (part > 1 || cut.inner.empty()) {
      const Draft::Names halves = TRY(draft.split(loops.back().variable, {-1, part}));
      outer.back() = halves[0];
      cut.inner.insert(cut.inner.begin(), {halves[1], part});
    }
  }
  cut.outer = TRY(draft.fuse(outer));
  return cut;
}

Result<std::optional<CutLoops>> cut_around_window(Draft& draft,
                                                  const std::vector<SummedLoop>& summed,
                                                  std::span<const std::size_t> reductions,
                                                  std::int64_t length, std::vector<Walked>& walk) {
  using Half = Walked::Half;
  std::vector<SummedLoop> others;
  std::int64_t window = 1;
  for (const SummedLoop& loop : summed)
    if (loop.extent <= widest_window) window *= loop.extent;
    else others.push_back(loop);
  if (others.empty() || 2 * window > length) return cut_loops(draft, summed, length, length);
  auto cut = TRY(cut_loops(draft, others, length / window, length / window));
  if (!cut) return cut;
  // The inner ones are the last of the others, the first of them perhaps half of one.
  const std::size_t first = others.size() - cut->inner.size();
  const bool is_split = cut->inner.front().extent != others[first].extent;
  const std::int64_t part = cut->inner.front().extent;
  std::vector<SummedLoop> inner;
  std::vector<Walked> outside, inside;
  std::size_t other = 0;
  for (std::size_t i = 0; i < summed.size(); ++i) {
    const std::size_t r = reductions[i];
    const bool in_window = summed[i].extent <= widest_window;
    if (!in_window && other < first) {
      outside.push_back({r});
    } else if (!in_window && other == first && is_split) {
      outside.push_back({r, Half::Outer, part});
      inside.push_back({r, Half::Inner, part});
    } else {
      inside.push_back({r});
    }
    if (in_window) inner.push_back(summed[i]);
    else if (other++ >= first) inner.push_back(cut->inner[other - 1 - first]);
  }
  cut->inner = std::move(inner);
  walk = std::move(outside);
  walk.insert(walk.end(), inside.begin(), inside.end());
  return cut;
}

Result<std::optional<std::string>> sum_blocks_apart(Draft& draft, const std::string& name,
                                                    const Machine& machine) {
  const auto block = analyse(draft.func(), name);
  if (!block || block->reductions.empty() || block->reducer == te::Reducer::And ||
      block->reducer == te::Reducer::Or)
    return std::nullopt;
  const auto blocks = blocks_for(*block, machine);
  if (!blocks) return std::nullopt;
  const Draft::Names loops = TRY(draft.loops(name));
  std::vector<SummedLoop> summed;
  for (const Axis& axis : (block->asks_where_it_is ? unmerged(*block) : *block).reduction_axes) {
    Draft::Names parts;
    for (const std::size_t iter : axis.iters) parts.push_back(loops[iter]);
    summed.push_back({TRY(draft.fuse(parts)), axis.extent});
  }
  const auto cut = TRY(cut_loops(draft, summed, blocks->longest, blocks->length, blocks->multiple));
  if (!cut) return std::nullopt;
  // Lanes add up neighbours of one sum, tiles neighbouring sums: so the partial sums lie.
  Draft::Names order;
  for (const Axis& axis : block->axes)
    for (const std::size_t iter : axis.iters) order.push_back(loops[iter]);
  const std::size_t place = blocks->lanes ? order.size() : 0;
  if (place < order.size()) {
    order.insert(order.begin(), cut->outer);
    TRY_VOID(draft.reorder(order));
  }
  return TRY(draft.rfactor(name, cut->outer, place));
}

}  // namespace loopglass::schedule
