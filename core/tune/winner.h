// Which schedule is kept of those that ran in turns at the end of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace loopglass::tune {

struct FinalTime {
  int trial = 0;            // 0: the default schedule
  double milliseconds = 0;  // not finite: it failed
};
// The place of the fastest, of equals that of the lowest trial; but that of the default schedule
// where nothing beats it by more than the machine's moods do. nullopt: none ran.
std::optional<std::size_t> winner(std::span<const FinalTime> times);

}  // namespace loopglass::tune
