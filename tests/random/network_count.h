// How many random networks a test plans: LOOPGLASS_RANDOM_PLANS, or enough for every day.
#pragma once

#include <algorithm>
#include <cstdlib>

namespace loopglass::test {

inline int network_count(int every_day) {
  const char* wanted = std::getenv("LOOPGLASS_RANDOM_PLANS");
  return wanted != nullptr ? std::max(1, std::atoi(wanted)) : every_day;
}

}  // namespace loopglass::test
