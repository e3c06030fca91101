// Contestants that take turns in blocks, so that the machine's moods fall on all.
#pragma once

#include "core/runtime/turns.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace loopglass::library {

// Ours by theirs, block by block: the median, and bounds between which it lies with a confidence of
// at least 95 % (order statistics of the blocks; of fewer than six, all that there are).
struct Ratio {
  double median = 0, low = 0, high = 0;
};
Ratio ratio_of(std::vector<double> of_blocks);

// Until no thread of this process is busy, or some tenths of a second have passed: a library's look
// for more work for a while, and take the processors of whoever comes next.
void wait_until_idle();

// Once the process is idle, runs until some milliseconds have passed, and gives those that one run
// took at the median.
template <class Run>
Result<double> time_block(const Run& run) {
  using Clock = std::chrono::steady_clock;
  constexpr double warm_ms = 3, timed_ms = 3, shortest_round_ms = 0.02;
  // Who takes so long finds in no cache what was there before, and waits for nobody's clock.
  constexpr double is_its_own_round_ms = 300;
  const auto milliseconds_since = [](Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  wait_until_idle();
  // The caches hold what is another's.
  int runs = 0;
  const auto start = Clock::now();
  do {
    TRY_VOID(run());
    ++runs;
  } while (milliseconds_since(start) < warm_ms);
  const double once = milliseconds_since(start) / runs;
  if (once > is_its_own_round_ms) return once;
  // A clock is read in some tens of nanoseconds.
  const int in_a_round = std::max(1, static_cast<int>(std::ceil(shortest_round_ms / once)));
  std::vector<double> rounds;
  const auto timed = Clock::now();
  do {
    const auto round = Clock::now();
    for (int i = 0; i < in_a_round; ++i) TRY_VOID(run());
    rounds.push_back(milliseconds_since(round) / in_a_round);
  } while (rounds.size() < 3 || milliseconds_since(timed) < timed_ms);
  return runtime::summarise(std::move(rounds)).median_ms;
}

}  // namespace loopglass::library
