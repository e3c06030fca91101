// Two contenders timed in turns: the ratio of their times turn by turn. What slows the machine down
// falls on both times of a turn, so the ratios scatter less than the times do.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace loopglass {

struct PairedRatio {
  double median = 1;
  // Holds the true median in at least 95 of 100 cases, whatever the ratios' distribution is: a
  // certain number of the smallest and of the largest ratios is left out. Of fewer than 6 none
  // is.
  double lower = 1, upper = 1;
  double best = 1;  // of the two fastest turns

  bool is_slower() const { return lower > 1; }
  bool is_faster() const { return upper < 1; }
};

// How many of `turns` numbers may be left out on either side: as many heads as a fair coin gives,
// or fewer, in at most 2.5 of 100 cases.
inline std::size_t left_out(std::size_t turns) {
  double tail = 0, log_of_choice = 0;
  for (std::size_t heads = 0; heads < turns; ++heads) {
    tail += std::exp(log_of_choice - static_cast<double>(turns) * std::log(2.0));
    if (tail > 0.025) return heads == 0 ? 0 : heads - 1;
    log_of_choice +=
        std::log(static_cast<double>(turns - heads)) - std::log(static_cast<double>(heads + 1));
  }
  return 0;
}

// Times of the same turns, as many of both, at least one.
inline PairedRatio paired_ratio(const std::vector<double>& times,
                                const std::vector<double>& reference) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < times.size(); ++i) ratios.push_back(times[i] / reference[i]);
  std::sort(ratios.begin(), ratios.end());
  const std::size_t count = ratios.size(), out = left_out(count);
  PairedRatio paired;
  paired.median = (ratios[(count - 1) / 2] + ratios[count / 2]) / 2;
  paired.lower = ratios[out];
  paired.upper = ratios[count - 1 - out];
  paired.best = *std::min_element(times.begin(), times.end()) /
                *std::min_element(reference.begin(), reference.end());
  return paired;
}

}  // namespace loopglass
