#include "core/library/difference.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopglass::library {

void Difference::note(const Tensor& ours, const Tensor& theirs) {
  for (std::int64_t i = 0; i < ours.elements(); ++i) {
    const double a = ours.double_at(i), b = theirs.double_at(i);
    if (std::isnan(a) && std::isnan(b)) continue;
    const double between = a == b ? 0 : std::abs(a - b);
    greatest =
        std::isnan(between) ? std::numeric_limits<double>::infinity() : std::max(greatest, between);
    if (std::isfinite(b)) largest = std::max(largest, std::abs(b));
  }
}

}  // namespace loopglass::library
