#include "core/support/readable_flops.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace loopglass {

std::string readable_flops(double operations) {
  static constexpr const char* units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
  if (operations < 1000) return fmt::format("{:.0f} FLOP", operations);
  std::size_t unit = 0;
  // What rounds to 1000 is one of the next unit.
  while (operations >= 999.5 && unit + 1 < std::size(units)) {
    operations /= 1000;
    ++unit;
  }
  const int decimals = operations < 9.995 ? 2 : operations < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", operations, decimals, units[unit]);
}

std::string readable_speed(double gigaflops_per_second) {
  return fmt::format("{:.1f} GFLOP/s", gigaflops_per_second);
}

}  // namespace loopglass
