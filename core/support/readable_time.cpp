#include "core/support/readable_time.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <iterator>

namespace loopglass {

std::string readable_time(Microseconds time, int digits) {
  static constexpr const char* units[] = {"ns", "µs", "ms", "s"};
  constexpr double nanosecond = 1e-3, microsecond = 1;
  // Less than a nanosecond is nothing.
  const double size = std::abs(time.count());
  const bool is_short = size >= nanosecond && size < microsecond;
  double value = is_short ? size / nanosecond : size;
  const auto rounded = [&](int decimals) {
    const double scale = std::pow(10, decimals);
    return std::round(value * scale) / scale;
  };
  std::size_t unit = is_short ? 0 : 1;
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
