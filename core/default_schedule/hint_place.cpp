#include "core/default_schedule/hint_place.h"

#include "core/default_schedule/cycle_costs.h"
#include "core/support/ceil_div.h"

#include <algorithm>
#include <span>

namespace loopglass::schedule {

namespace {

constexpr std::int64_t many_sums = 20;  // vectors
// That an iteration asks for.
constexpr std::int64_t few_lines = 4, most_lines = 60;

}  // namespace

// To find out where to look ahead takes a dozen instructions or more. 14 x 2 vectors of AVX-512
// hide them, and since LLVM keeps no element across a hint, a tile that nearly fills the registers
// is rather better off so (0.97 to 1.01). Fewer sums do not: 5 x 2 of AVX2 took 1.3 to 1.8 times as
// long as with hints in the outermost loop whose turns have few lines each to ask for, or, for want
// of one, many at once outside of the innermost loop.
std::string hinting_loop(const HintedTile& tile) {
  if (tile.vectors_of_sums >= many_sums)
    return tile.is_crowded ? tile.innermost_terms : tile.long_terms;
  if (!tile.bytes_of_term) return tile.long_terms;
  const auto streamed = std::ranges::find(tile.loops, tile.streamed, &LoopAroundTile::name);
  const std::span<const LoopAroundTile> inside(
      streamed == tile.loops.end() ? streamed : streamed + 1, tile.loops.end());
  std::int64_t bytes = *tile.bytes_of_term;
  for (const LoopAroundTile& loop : inside)
    if (loop.over_terms) bytes *= loop.extent;
  const std::int64_t lines = ceil_div(bytes, line_bytes);
  std::int64_t turns = 1;
  std::string found = tile.long_terms;
  for (const LoopAroundTile& loop : inside) {
    if (loop.name == tile.innermost_terms) break;
    turns *= loop.extent;
    // What is outside of the innermost loop over tiles becomes one with it.
    if (!loop.over_terms && loop.name != tile.innermost_tiles) continue;
    if (lines <= few_lines * turns) return loop.name;
    if (loop.extent != 1 && lines <= most_lines * turns) found = loop.name;
  }
  return found;
}

}  // namespace loopglass::schedule
