// What many numbers come to.
#pragma once

#include <utility>
#include <vector>

namespace loopglass {

// Linear between the two nearest order statistics; there is at least one value. `fraction` from 0
// to 1.
double quantile(std::vector<double> values, double fraction);
inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }
// Of positive values, of which there is at least one.
double geometric_mean(const std::vector<double>& values);

}  // namespace loopglass
