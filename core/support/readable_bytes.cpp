#include "core/support/readable_bytes.h"

#include <fmt/format.h>
#include <cmath>
#include <iterator>

namespace loopglass {

std::string readable_bytes(std::int64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; std::abs(value) >= 1023.5 && unit + 1 < std::size(units); ++unit) value /= 1024;
  if (unit == 0) return fmt::format("{} B", bytes);
  // No exponent: 1010 KiB, not 1.01e+03.
  return std::abs(value) >= 999.5 ? fmt::format("{:.0f} {}", value, units[unit])
                                  : fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace loopglass
