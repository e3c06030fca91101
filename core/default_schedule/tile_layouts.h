// How the buffers of a tile are laid out: maps for transform_layout, from the block's own order;
// nullopt where that is as it should be.
#pragma once

#include "core/default_schedule/tile_plan.h"

#include <optional>
#include <string>

namespace loopglass::schedule {

// The sums' buffer as the tile walks it: lanes innermost, the repeats around them, and an axis of
// several dimensions that is cut into tiles as one dimension, or a tile would not be a compact
// part. Partial sums have a dimension more, the first.
std::optional<std::string> layout_of_sums(const BlockAnalysis& block, const TilePlan& plan,
                                          const std::string& first = {});
// A turned tile's: pixels that are repeated, of several rows of an image, are a row.
std::optional<std::string> layout_of_turned(const BlockAnalysis& block, const TilePlan& plan);

}  // namespace loopglass::schedule
