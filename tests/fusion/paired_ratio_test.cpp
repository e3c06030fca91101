// The statistic that fusion_bench compares strategies by.
#include "tests/bench/fusion_bench_paired.h"

#include <gtest/gtest.h>

namespace loopglass {
namespace {

// The table of the sign test, two-sided, 5 %: how many ratios are left out on either side.
TEST(PairedRatio, LeavesOutAsManyAsTheSignTestAllows) {
  EXPECT_EQ(left_out(5), 0u);
  EXPECT_EQ(left_out(6), 0u);
  EXPECT_EQ(left_out(8), 0u);
  EXPECT_EQ(left_out(9), 1u);
  EXPECT_EQ(left_out(12), 2u);
  EXPECT_EQ(left_out(20), 5u);
  EXPECT_EQ(left_out(100), 39u);
}

// The machine gets slower and slower; the times themselves overlap widely.
TEST(PairedRatio, SeesASmallDifferenceThroughADrift) {
  std::vector<double> reference, times;
  for (int round = 0; round < 20; ++round) {
    reference.push_back(10 + round);
    times.push_back(1.02 * (10 + round));
  }
  const PairedRatio paired = paired_ratio(times, reference);
  EXPECT_NEAR(paired.median, 1.02, 1e-12);
  EXPECT_NEAR(paired.best, 1.02, 1e-12);
  EXPECT_TRUE(paired.is_slower());
  EXPECT_TRUE(paired_ratio(reference, times).is_faster());
}

TEST(PairedRatio, WhatIsNowSlowerNowFasterShowsNoDifference) {
  std::vector<double> reference(12, 10), times;
  for (int round = 0; round < 12; ++round) times.push_back(round % 2 == 0 ? 9 : 11);
  const PairedRatio paired = paired_ratio(times, reference);
  EXPECT_FALSE(paired.is_slower());
  EXPECT_FALSE(paired.is_faster());
  EXPECT_DOUBLE_EQ(paired.median, 1);
}

}  // namespace
}  // namespace loopglass
