#include "core/tune/models/ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace loopglass::tune {

namespace {

std::vector<std::size_t> order_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  return order;
}

// Equal values have the mean of their ranks.
std::vector<double> ranks_of(std::span<const double> values) {
  const auto order = order_of(values);
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = (static_cast<double>(begin) + static_cast<double>(end - 1)) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

}  // namespace

double rank_correlation(std::span<const double> scores, std::span<const double> measured) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  if (scores.size() < 2) return nothing;
  const auto a = ranks_of(scores), b = ranks_of(measured);
  const double mean = (static_cast<double>(a.size()) - 1) / 2;
  double together = 0, of_a = 0, of_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    together += (a[i] - mean) * (b[i] - mean);
    of_a += (a[i] - mean) * (a[i] - mean);
    of_b += (b[i] - mean) * (b[i] - mean);
  }
  return of_a == 0 || of_b == 0 ? nothing : together / std::sqrt(of_a * of_b);
}

double recall_of_best(std::span<const double> scores, std::span<const double> measured,
                      double share) {
  if (measured.empty()) return std::numeric_limits<double>::quiet_NaN();
  const std::size_t count = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::lround(share * static_cast<double>(measured.size()))));
  const auto foretold = order_of(scores), true_order = order_of(measured);
  const auto last = std::ssize(true_order) - static_cast<std::ptrdiff_t>(count);
  const std::vector<std::size_t> best(foretold.begin() + last, foretold.end());
  const auto found = std::count_if(true_order.begin() + last, true_order.end(), [&](std::size_t i) {
    return std::ranges::find(best, i) != best.end();
  });
  return static_cast<double>(found) / static_cast<double>(count);
}

}  // namespace loopglass::tune
