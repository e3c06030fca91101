// An operand that comes from memory, not from a cache, and whose terms the machine does not
// foresee.
//
// A constant does so each time its kernel runs: the weights of a network are more than a cache
// holds. A tile of it serves all tiles of the other side, which are few where an image is small or
// a batch of rows short, and then to wait for it is a good part of the kernel's time (half of it,
// in a 3 x 3 convolution of 512 channels on 7 x 7 pixels). So do the images of a batch, whose
// channels lie apart: of 32 images of 256 channels, 56 x 56 pixels, a third of the time was for
// that. So the next part is asked for (prefetch) while the other side's tiles work on this one.
#pragma once

#include "core/default_schedule/tile_plan.h"

#include <string>
#include <vector>

namespace loopglass::schedule {

struct Streaming {
  enum class Way : std::uint8_t {
    Not,
    Tiles,   // the next tile of it while the other side's tiles turn
    Blocks,  // where that is more than the second cache has room for: the sum is taken in blocks,
             // all tiles of the other side for each
    Rounds,  // of what goes around both sides, what all tiles of one side read in the next
  };
  Way way = Way::Not;
  std::string buffer = {};
};

// What may be streamed and how, the best first, to be taken as far as that is legal; nothing at the
// end.
std::vector<Streaming> ways_to_stream(const BlockAnalysis& block, const TilePlan& plan,
                                      const Machine& machine);

}  // namespace loopglass::schedule
