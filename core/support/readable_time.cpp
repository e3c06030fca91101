#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>

namespace loopglass {

std::string readable_time(Microseconds time, int digits) {
  static constexpr const char* units[] = {"µs", "ms", "s"};
  double value = std::abs(time.count());
  const auto rounded = [&](int decimals) {
    const double scale = std::pow(10, decimals);
    return std::round(value * scale) / scale;
  };
  std::size_t unit = 0;
  // What rounds to 1000 is one of the next unit.
  while (rounded(digits - 3) >= 1000 && unit + 1 < std::size(units)) {
    value /= 1000;
    ++unit;
  }
  int decimals = digits - 1;
  for (double ten = 10; decimals > 0 && rounded(decimals) >= ten; ten *= 10) --decimals;
  const bool negative = time.count() < 0 && rounded(decimals) > 0;
  return fmt::format("{}{:.{}f} {}", negative ? "−" : "", value, decimals, units[unit]);
}

}  // namespace loopglass
