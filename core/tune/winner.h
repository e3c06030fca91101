// Which schedule is kept of those that ran in turns at the end of a run.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace loopglass::tune {

// Of the default schedule's time that a schedule may take to be kept. Of eight rivals the luckiest
// seems a little faster than it is, and a network has its kernels' data elsewhere than a kernel by
// itself.
inline constexpr double worth_it = 0.97;

struct FinalTime {
  int trial = 0;            // 0: the default schedule
  double milliseconds = 0;  // not finite: it failed
};
// The place of the fastest, of equals that of the lowest trial; but that of the default schedule
// where nothing is worth it. nullopt: none ran.
std::optional<std::size_t> winner(std::span<const FinalTime> times);

}  // namespace loopglass::tune
