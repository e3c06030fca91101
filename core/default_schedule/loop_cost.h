// How long a block's loops take on one thread, roughly, in cycles: for the question whether to hand
// them to threads.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/loop/path.h"
#include "core/machine/machine.h"

namespace loopglass::schedule {

// A block without reductions, walked by vectors.
double elementwise_cycles(const loop::Func& func, const BlockAnalysis& block,
                          const Machine& machine);
// Any block, element by element; an extent that is not known counts as one.
double plain_cycles(const loop::Path& block);

// Iterations of a loop that threads are to share evenly.
inline constexpr std::int64_t least_chunks = 32;

// Whether threads gain by so much work. To hand a loop out and wait for the last of it takes a few
// hundred cycles while they are awake and some thousands when they sleep; and a thread that has
// begun may be held up, which then holds up the loop, for milliseconds where others want its
// processor.
bool is_worth_threads(double cycles);

}  // namespace loopglass::schedule
