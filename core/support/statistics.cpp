#include "core/support/statistics.h"

#include "core/support/check.h"

#include <algorithm>
#include <cmath>

namespace loopglass {

double quantile(std::vector<double> values, double fraction) {
  CHECK(!values.empty(), "a quantile of nothing");
  std::ranges::sort(values);
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

double geometric_mean(const std::vector<double>& values) {
  CHECK(!values.empty(), "a mean of nothing");
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

}  // namespace loopglass
