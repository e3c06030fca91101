// How bright an iteration still is, when others have come after it.
#pragma once

#include <algorithm>

namespace loopglass::views {

// 1 now, 0 from so many steps later on.
inline double freshness(int step, int now) {
  constexpr double fading = 48;
  return std::max(0.0, 1 - (now - step) / fading);
}

}  // namespace loopglass::views
