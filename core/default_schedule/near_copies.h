// Copies that one sum alone reads, as an image with its border is for a convolution: where each
// iteration of the loops outside reads a part of its own, or one that shares few rows with the
// next, that part is made inside of them. It then lies in the first or second cache when it is
// read, and the whole never goes to memory.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/default_schedule/draft.h"
#include "core/default_schedule/tile_plan.h"
#include "core/machine/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace loopglass::schedule {

// Loops that have been brought outside, outermost first, and the iterations of the sum that they
// are.
struct OuterLoops {
  Draft::Names names;
  std::vector<std::size_t> iters;
};
// `sum`: as it was analysed before its loops were cut. Whether anything has been moved: then only
// the loops outside can be shared among threads.
Result<bool> bring_copies_near(Draft& draft, const BlockAnalysis& sum, const OuterLoops& outer,
                               const Machine& machine);

// A part of a copy, whose whole is far more than the second cache holds: some of its rows, of one
// image. (Of 64 channels of 180 x 320 pixels a 3 x 3 convolution took 26 ms where all was copied
// first, 21 by bands of six rows. Not for the copying: as planes, or a row each of many channels,
// it lies in more places than a core looks ahead in.) Where three rows are too many already, as of
// 128 channels of 512 pixels, a band is a part of each of its rows.
struct Band {
  std::string maker;                // the block that makes the copy; empty: there is none
  std::vector<std::size_t> images;  // iterations of the sum by each of which it reads another part
  std::optional<std::size_t> row;   // the iteration that moves through rows; none: whole images
  std::int64_t rows = 0;            // of the sum, to each band
  std::optional<std::size_t> column;  // the iteration that moves along a row; none: whole rows
  std::int64_t columns = 0;           // of the sum, to each band
};
// Of the first such copy that the sum reads; nullopt: there is none, or it is not worth it. (To
// copy what needs no copy otherwise, as an image without a border, takes 0.91 to 1.07 of the time.)
std::optional<Band> band_of(const loop::Func& func, const BlockAnalysis& sum, const TilePlan& plan,
                            const Machine& machine);
// Moves the copy inside the loop, over its bands.
Result<void> bring_band_near(Draft& draft, const BlockAnalysis& sum, const std::string& maker,
                             const std::string& loop, const Machine& machine);

}  // namespace loopglass::schedule
