// The numbers that one tries for a part of a loop, from small to large: what dragging one goes
// through.
#pragma once

#include "core/script/replayer.h"

namespace loopglass::schedule {

// Ascending, from 1. For a primitive that takes a loop and sizes of its parts, where the loop's
// extent is constant: its divisors and the powers of two below it, up to `largest_factor`; for any
// other line powers of two and what is half way between.
inline constexpr std::int64_t largest_factor = 4096;
std::vector<std::int64_t> factor_ladder(const Replayer& before, const Instruction& instruction);

// The rung so many above (or below) the number, which may stand between two; the first or last
// where there are no more.
std::int64_t rung(const std::vector<std::int64_t>& ladder, std::int64_t number, int steps);

}  // namespace loopglass::schedule
