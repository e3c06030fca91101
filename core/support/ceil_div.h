// Division that rounds up.
#pragma once

#include <cstdint>

namespace loopglass {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t positive) {
  return a / positive + (a % positive > 0);
}

}  // namespace loopglass
