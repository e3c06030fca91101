// Copies that one sum alone reads, as an image with its border is for a depthwise convolution:
// where each iteration of the loops outside reads a part of its own, that part is made inside of
// them. It then lies in the first or second cache when it is read, and the whole never goes to
// memory.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/default_schedule/draft.h"
#include "core/machine/machine.h"

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

}  // namespace loopglass::schedule
