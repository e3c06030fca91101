// How a reduction is spread over vector lanes, chosen by counting: each lane sums every so many-th
// element, and the lanes are added up at the end of each sum. What a tile (tile_plan.h) cannot do
// where the elements that are summed, and not the sums, are neighbours in memory: the rows of a
// softmax.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/machine/machine.h"

#include <optional>

namespace loopglass::schedule {

struct LanePlan {
  Axis axis;               // whose elements are dealt out to the lanes
  std::int64_t lanes = 1;  // several vectors, so that their additions overlap
  double cycles = 0;       // comparable to TilePlan's
};

// So many that their sums stay in registers and overlap.
constexpr int most_vectors = 8;

// nullopt where a tile is faster, no reduced axis is as long as a vector, or the reducer is not one
// of numbers.
std::optional<LanePlan> plan_lanes(const BlockAnalysis& block, const Machine& machine);

}  // namespace loopglass::schedule
