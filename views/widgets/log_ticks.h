// Round numbers for a logarithmic axis.
#pragma once

#include "views/widgets/round_step.h"

#include <cmath>
#include <vector>

namespace loopglass::views {

// From `least` to `most`, which are more than 0: powers of ten, with 2 and 5 times them where these
// are few; within a decade, as on any axis.
inline std::vector<double> log_ticks(double least, double most) {
  constexpr double a_decade = 8, many_decades = 1000, few = 5;
  std::vector<double> ticks;
  if (most < a_decade * least) {
    const double step = round_step(most - least, few);
    for (double tick = std::ceil(least / step) * step; tick <= most; tick += step)
      ticks.push_back(tick);
    return ticks;
  }
  for (double power = std::pow(10, std::floor(std::log10(least))); power <= most; power *= 10)
    for (const double factor : {1.0, 2.0, 5.0})
      if (const double tick = factor * power;
          tick >= least && tick <= most && (factor == 1 || most < many_decades * least))
        ticks.push_back(tick);
  return ticks;
}

}  // namespace loopglass::views
