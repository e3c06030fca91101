#include "core/support/statistics.h"

#include <gtest/gtest.h>

namespace loopglass {
namespace {

TEST(Statistics, QuantilesLieBetweenTheNearestValues) {
  EXPECT_EQ(quantile({3}, 0.25), 3);
  EXPECT_EQ(median({4, 1, 3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(quantile({5, 1, 2, 3, 4}, 0.25), 2);
  EXPECT_EQ(quantile({1, 2}, 0.75), 1.75);
  EXPECT_EQ(quantile({2, 1}, 0), 1);
  EXPECT_EQ(quantile({2, 1}, 1), 2);
}

TEST(Statistics, GeometricMeansAreOfRatios) {
  EXPECT_DOUBLE_EQ(geometric_mean({2, 8}), 4);
  EXPECT_DOUBLE_EQ(geometric_mean({0.5, 2}), 1);
}

}  // namespace
}  // namespace loopglass
