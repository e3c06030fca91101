// The parts of the default schedule, one a kind of block. Each writes into the draft or fails, and the
// caller falls back to the state before.
#pragma once

#include "core/schedule/block_analysis.h"
#include "core/schedule/draft.h"
#include "core/schedule/machine.h"

namespace loopglass::schedule {

// Elementwise producers disappear into their consumers where that repeats no work to speak of.
Result<void> inline_producers(Draft& draft);

// A reduction: tiled for registers, its elementwise consumer (if any) computed in the tile.
Result<void> schedule_reduction(Draft& draft, const BlockAnalysis& block, const std::optional<std::string>& epilogue,
                                const Machine& machine);

// A block without reduction: vectors innermost, threads outermost.
Result<void> schedule_elementwise(Draft& draft, const BlockAnalysis& block, const Machine& machine);

// Anything: threads outermost, if its iterations are independent and there is enough to do.
Result<void> schedule_plainly(Draft& draft, const std::string& block);

// The elementwise block that may be computed tile by tile with this reduction.
std::optional<std::string> epilogue_of(const Func& func, const std::string& reduction);

// Fuses the outermost loops and hands them to threads, if there is work enough.
Result<void> parallelise(Draft& draft, const Draft::Names& outer, std::int64_t operations);

}  // namespace loopglass::schedule
