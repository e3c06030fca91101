// The factors that one tries for a split, from small to large: what dragging a number goes through.
#pragma once

#include "core/script/replayer.h"

namespace loopglass::schedule {

// Ascending, from 1. For a split of a loop of constant extent: its divisors and the powers of two
// below it, up to `largest_factor`; for any other line powers of two and what is half way between.
inline constexpr std::int64_t largest_factor = 4096;
std::vector<std::int64_t> factor_ladder(const Replayer& before, const Instruction& instruction);

// The rung so many above (or below) the number, which may stand between two; the first or last
// where there are no more.
std::int64_t rung(const std::vector<std::int64_t>& ladder, std::int64_t number, int steps);

}  // namespace loopglass::schedule
