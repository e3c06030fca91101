// Sums that follow one another row by row, as attention's do: products of queries and keys, a
// softmax of each row, products with the values. Where what one hands to the next is more than the
// second cache holds, all are computed for a band of rows before the next band is begun: each is
// scheduled with loops over the bands outside of all others, and these become one (compute_with).
// T. Dao and others, FlashAttention (2022), do the same without whole rows.
#pragma once

#include "core/default_schedule/draft.h"
#include "core/default_schedule/near_copies.h"
#include "core/default_schedule/tile_plan.h"
#include "core/loop/func.h"
#include "core/machine/machine.h"

#include <map>
#include <string>
#include <vector>

namespace loopglass::schedule {

struct RowChain {
  std::vector<std::string> blocks;    // in program order, each in a nest of its own
  std::map<std::string, Band> bands;  // of those of them that sum
};

// Of a kernel nothing of which has been put into tiles yet, in time linear in its blocks.
std::vector<RowChain> row_chains(const loop::Func& func, const Machine& machine);

// Whether the band's loops are those of whole axes, so that they can stand outside.
bool has_bands_apart(const BlockAnalysis& sum, const Band& band);

// The tiles of fewest cycles of which a band has whole ones, if any has: the one at the end of a
// band would have to ask for each row.
TilePlan plan_in_band(const BlockAnalysis& sum, const Band& band, const Machine& machine);

// Makes one loop of the outermost ones of all nests. ScheduleIllegal where they are not alike.
Result<void> join_bands(Draft& draft);

}  // namespace loopglass::schedule
