#include "core/library/block_times.h"

namespace loopglass::library {

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
