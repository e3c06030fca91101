// How many terms of its sums the innermost loop of a tile takes in a turn.
//
// A turn takes a counter, a pointer and a jump beside its terms: of 5 x 2 vectors 3 of 20
// instructions for a term. A core with nothing else to do hides them. On one whose time others had
// a part of, tiles took as long as they have instructions, and there four terms a turn take 0.81 to
// 1.03 of the time of networks, of ResNet-50 0.84.
#pragma once

#include "core/default_schedule/tile_plan.h"

#include <optional>

namespace loopglass::schedule {

// Whether the tile leaves few vector registers for anything else.
bool is_tight(const BlockAnalysis& block, const TilePlan& plan, const Machine& machine);

// Of a loop that turns so often for one term a turn; 1: nothing is gained.
std::int64_t usual_copies(const BlockAnalysis& block, const TilePlan& plan, const Machine& machine,
                          std::int64_t turns);

// The place among its loops over terms of an innermost one of two turns, which read the same but
// for one element, where the tile leaves no registers for that. Of two turns LLVM knows both, and
// has the second use what the first has read, wherever it is told to unroll nothing: 14 x 2 vectors
// of a 1 x 2 convolution, of 56 x 56 pixels and 128 channels, took 1.66 ms on a Zen 4, and 0.98
// where that loop is the outermost.
std::optional<std::size_t> shared_pair_of_terms(const BlockAnalysis& block, const TilePlan& plan,
                                                const Machine& machine);

}  // namespace loopglass::schedule
