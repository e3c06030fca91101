// What is said of estimates beside measured times.
#include "core/fusion/estimate_quality.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

TEST(EstimateQuality, EstimatesOfTheTrueOrderAreWrongByAFactorAlone) {
  const EstimateQuality quality = quality_of({{1, 2}, {10, 20}, {5, 10}, {7, 14}});
  EXPECT_EQ(quality.kernels, 4u);
  EXPECT_DOUBLE_EQ(quality.rank_correlation, 1);
  EXPECT_DOUBLE_EQ(quality.lower_quartile_ratio, 2);
  EXPECT_DOUBLE_EQ(quality.median_ratio, 2);
  EXPECT_DOUBLE_EQ(quality.upper_quartile_ratio, 2);
}

TEST(EstimateQuality, TheWrongWayRoundIsMinusOne) {
  EXPECT_DOUBLE_EQ(quality_of({{1, 3}, {2, 2}, {3, 1}}).rank_correlation, -1);
}

// Ranks 0, 1.5, 1.5, 3 beside 0, 1, 2, 3: 4.5 / sqrt(4.5 * 5).
TEST(EstimateQuality, EqualEstimatesShareTheirRank) {
  EXPECT_NEAR(quality_of({{1, 1}, {2, 2}, {2, 3}, {4, 4}}).rank_correlation, 0.948683, 1e-6);
}

TEST(EstimateQuality, WithoutAnOrderThereIsNoCorrelation) {
  EXPECT_EQ(quality_of({}).kernels, 0u);
  EXPECT_DOUBLE_EQ(quality_of({{1, 4}}).rank_correlation, 0);
  EXPECT_DOUBLE_EQ(quality_of({{1, 4}}).median_ratio, 4);
  EXPECT_DOUBLE_EQ(quality_of({{1, 4}, {1, 5}}).rank_correlation, 0);
}

}  // namespace
}  // namespace loopglass::fusion
