// How well scores rank what was measured.
#pragma once

#include <span>

namespace loopglass::tune {

// Spearman's: 1 where the order is the same, 0 where it has nothing to do with it. NaN of fewer
// than two pairs, or where all of one side are equal.
double rank_correlation(std::span<const double> scores, std::span<const double> measured);

// Of the best share of what was measured (one at the least), the part that is among as many with
// the best scores. Greater is better on both sides.
double recall_of_best(std::span<const double> scores, std::span<const double> measured,
                      double share);

}  // namespace loopglass::tune
