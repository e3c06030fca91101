// A tile of sums whose lanes lie apart where they are stored, and whose repeats lie side by side:
// output channels in the lanes, pixels repeated, and an image that is stored channel by channel.
// Lane by lane, storing takes longer than a good deal of the sum. So the tile is turned in
// registers once it is summed up, and what follows goes along the repeats.
#pragma once

#include "core/default_schedule/draft.h"
#include "core/default_schedule/tile_plan.h"
#include "core/loop/intrinsics.h"

namespace loopglass::schedule {

// What turns the tiles of a plan, so many of its repeats at a time; null: they are not turned.
// Only whole tiles are: the plan has to leave nothing over.
const loop::Intrinsic* turning_intrinsic(const BlockAnalysis& block, const TilePlan& plan,
                                         const Machine& machine);

// The two loops of a tile's copy, over repeats and lanes, handed to the intrinsic.
Result<void> turn_tile(Draft& draft, const Draft::Names& loops, const TilePlan& plan,
                       const loop::Intrinsic& intrinsic);

}  // namespace loopglass::schedule
