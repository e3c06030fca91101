// Steps at which an axis has its numbers.
#pragma once

#include <algorithm>
#include <cmath>

namespace loopglass::views {

// The least of 1, 2 and 5 times a power of `base` of which `length` holds at most `count`.
inline double round_step(double length, double count, double base = 10) {
  constexpr double least = 1e-9;  // where there is no length, any step does
  const double wanted = std::max(least, length / count);
  const double power = std::pow(base, std::floor(std::log(wanted) / std::log(base)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (wanted <= factor * power * (1 + least)) return factor * power;
  return base * power;
}

}  // namespace loopglass::views
