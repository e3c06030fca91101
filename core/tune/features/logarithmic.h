// The scale of features: what is counted may be one or a billion.
#pragma once

#include <cmath>

namespace loopglass::tune {

inline float logarithmic(double x) {
  return static_cast<float>(std::copysign(std::log2(std::abs(x) + 1), x));
}

}  // namespace loopglass::tune
