#include "core/library/block_times.h"

#include <ctime>

namespace loopglass::library {

namespace {

double milliseconds_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// Of processor time, of all threads but this.
double others() {
  return milliseconds_of(CLOCK_PROCESS_CPUTIME_ID) - milliseconds_of(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace

// It does not sleep itself: a thread that wakes up may be put onto the processor that another wants
// to have, and stay there with it.
void wait_until_idle() {
  // The system counts what other processors' threads run in ticks, of ten milliseconds at the most.
  constexpr double slice = 12, longest = 600;
  constexpr double idle = 0.1;  // of a slice
  const double begun = milliseconds_of(CLOCK_MONOTONIC);
  for (double now = begun; now < begun + longest;) {
    const double before = others(), end = now + slice;
    while (now < end) now = milliseconds_of(CLOCK_MONOTONIC);
    if (others() - before < idle * slice) return;
  }
}

Ratio ratio_of(std::vector<double> of_blocks) {
  std::ranges::sort(of_blocks);
  const std::size_t count = of_blocks.size();
  Ratio ratio;
  ratio.median = count % 2 == 1 ? of_blocks[count / 2]
                                : std::sqrt(of_blocks[count / 2 - 1] * of_blocks[count / 2]);
  // How likely fewer than k of so many fall on one side of the median: the bounds leave out as many
  // at each end as that allows.
  double tail = std::pow(0.5, static_cast<double>(count)), choose = tail;
  std::size_t left_out = 0;
  while (left_out + 1 < count / 2) {
    choose = choose * static_cast<double>(count - left_out) / static_cast<double>(left_out + 1);
    if (2 * (tail + choose) > 0.05) break;
    tail += choose;
    ++left_out;
  }
  ratio.low = of_blocks[left_out];
  ratio.high = of_blocks[count - 1 - left_out];
  return ratio;
}

}  // namespace loopglass::library
