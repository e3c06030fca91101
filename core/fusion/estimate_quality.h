// How well estimated times foretell measured ones.
#pragma once

#include <cstddef>
#include <vector>

namespace loopglass::fusion {

struct Prediction {
  double estimated = 0, measured = 0;  // of one kernel, in the same unit, positive
};

struct EstimateQuality {
  std::size_t kernels = 0;
  // Spearman's: 1, where the estimates put the kernels in their true order; 0 also where there is
  // no order to be found, in fewer than two kernels or all equal ones.
  double rank_correlation = 0;
  // Of measured / estimated; the median is what scaling would mend, the spread what it would not.
  double lower_quartile_ratio = 0, median_ratio = 0, upper_quartile_ratio = 0;
};
EstimateQuality quality_of(const std::vector<Prediction>& predictions);

}  // namespace loopglass::fusion
