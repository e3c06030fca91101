// The schedule of one reduction in tiles, written once everything about it has been chosen.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/default_schedule/draft.h"
#include "core/default_schedule/near_copies.h"
#include "core/default_schedule/streaming.h"
#include "core/default_schedule/tile_plan.h"
#include "core/loop/intrinsics.h"

#include <optional>
#include <string>

namespace loopglass::schedule {

struct TileSchedule {
  const BlockAnalysis& block;
  const TileChoice& choice;
  const Machine& machine;
  Streaming streaming = {};
  const loop::Intrinsic* turning = nullptr;  // what turns the tile once it is summed up; or null
  std::optional<Band> band = {};             // whose loops stand outside of all others
};

// With the elementwise block that follows in the tile, if there is one. Where a line is not legal
// the draft is left half written.
Result<void> write_tiles(Draft& draft, const TileSchedule& wanted,
                         const std::optional<std::string>& epilogue);

}  // namespace loopglass::schedule
