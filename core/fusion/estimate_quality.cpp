#include "core/fusion/estimate_quality.h"
#include "core/support/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace loopglass::fusion {

namespace {

// Equal numbers share the mean of their ranks.
std::vector<double> ranks_of(const std::vector<double>& numbers) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return numbers[a] < numbers[b]; });
  std::vector<double> ranks(numbers.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && numbers[order[end]] == numbers[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i)
      ranks[order[i]] = static_cast<double>(first + end - 1) / 2;
    first = end;
  }
  return ranks;
}

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const double mean = static_cast<double>(x.size() - 1) / 2;  // of ranks, whatever ties there are
  double product = 0, squares_x = 0, squares_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    product += (x[i] - mean) * (y[i] - mean);
    squares_x += (x[i] - mean) * (x[i] - mean);
    squares_y += (y[i] - mean) * (y[i] - mean);
  }
  return squares_x > 0 && squares_y > 0 ? product / std::sqrt(squares_x * squares_y) : 0;
}

}  // namespace

EstimateQuality quality_of(const std::vector<Prediction>& predictions) {
  EstimateQuality quality;
  quality.kernels = predictions.size();
  if (predictions.empty()) return quality;
  std::vector<double> estimated, measured, ratios;
  for (const Prediction& prediction : predictions) {
    estimated.push_back(prediction.estimated);
    measured.push_back(prediction.measured);
    ratios.push_back(prediction.measured / prediction.estimated);
  }
  quality.rank_correlation = correlation(ranks_of(estimated), ranks_of(measured));
  quality.lower_quartile_ratio = quantile(ratios, 0.25);
  quality.median_ratio = quantile(ratios, 0.5);
  quality.upper_quartile_ratio = quantile(ratios, 0.75);
  return quality;
}

}  // namespace loopglass::fusion
