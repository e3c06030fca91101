#include "core/runtime/times_in_turns.h"

#include "core/support/check.h"
#include "core/support/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace loopglass::runtime {

TimesInTurns times_in_turns(std::span<const double> before, std::span<const double> after) {
  CHECK(before.size() == after.size());
  if (before.empty()) return {};
  std::vector<double> ratios;
  for (std::size_t turn = 0; turn < before.size(); ++turn)
    ratios.push_back(before[turn] > 0 ? after[turn] / before[turn] : 1);
  TimesInTurns times;
  times.turns = static_cast<int>(before.size());
  times.before_ms = median({before.begin(), before.end()});
  times.after_ms = median({after.begin(), after.end()});
  times.ratio = median(ratios);
  times.lower_ratio = quantile(ratios, 0.25);
  times.upper_ratio = quantile(ratios, 0.75);
  times.agreeing = static_cast<int>(std::ranges::count_if(
      ratios, [&](double ratio) { return times.ratio < 1 ? ratio < 1 : ratio > 1; }));
  return times;
}

double chance(const TimesInTurns& times) {
  double ways = 1, so_many = 0;  // to choose k turns; of those with as many or more
  for (int k = times.turns; k >= times.agreeing; --k) {
    so_many += ways;
    ways *= static_cast<double>(k) / static_cast<double>(times.turns - k + 1);
  }
  return std::min(1.0, 2 * so_many / std::exp2(times.turns));
}

bool is_certain(const TimesInTurns& times) { return times.turns > 0 && chance(times) < 0.01; }

std::string ratio_words(const TimesInTurns& times) {
  return times.ratio < 1
             ? fmt::format("{:.3f} times as fast (quartiles of the turns {:.3f} to {:.3f})",
                           1 / times.ratio, 1 / times.upper_ratio, 1 / times.lower_ratio)
             : fmt::format("{:.3f} times as slow (quartiles of the turns {:.3f} to {:.3f})",
                           times.ratio, times.lower_ratio, times.upper_ratio);
}

std::string chance_words(const TimesInTurns& times) {
  const double percent = 100 * chance(times);
  // "0.01", "3.1", "100"
  const std::string share =
      percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent);
  return fmt::format(
      "{}: {} of {} turns agree, as they would in {} % of all cases if it changed nothing",
      is_certain(times) ? "this is no chance" : "this may be chance", times.agreeing, times.turns,
      share);
}

}  // namespace loopglass::runtime
