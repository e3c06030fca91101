// Offsets of buffers with lifetimes in one arena.
#include "core/runtime/memory_plan.h"

#include <gtest/gtest.h>

#include <random>

namespace loopglass::runtime {
namespace {

void expect_no_overlap(std::span<const LiveRange> ranges, const MemoryPlan& plan) {
  for (std::size_t a = 0; a < ranges.size(); ++a) {
    EXPECT_EQ(plan.offsets[a] % 64, 0);
    EXPECT_LE(plan.offsets[a] + ranges[a].bytes, plan.arena_bytes);
    for (std::size_t b = 0; b < a; ++b) {
      bool together = ranges[a].first <= ranges[b].last && ranges[b].first <= ranges[a].last;
      bool apart = plan.offsets[a] + ranges[a].bytes <= plan.offsets[b] || plan.offsets[b] + ranges[b].bytes <= plan.offsets[a];
      EXPECT_TRUE(!together || apart) << a << " and " << b;
    }
  }
}

TEST(MemoryPlan, BuffersThatNeverMeetShareMemory) {
  std::vector<LiveRange> ranges = {{1000, 0, 1}, {500, 1, 2}, {1000, 2, 3}};
  MemoryPlan plan = plan_memory(ranges);
  expect_no_overlap(ranges, plan);
  EXPECT_EQ(plan.offsets[0], plan.offsets[2]);
  EXPECT_EQ(plan.arena_bytes, 1024 + 512);
  EXPECT_EQ(plan.lower_bound, plan.arena_bytes);
}

TEST(MemoryPlan, ABufferGoesIntoTheSmallestGapThatHoldsIt) {
  // Around position 5 two gaps are free, of 640 and of 128 bytes; 100 bytes go into the second.
  std::vector<LiveRange> ranges = {{6400, 0, 9}, {640, 0, 2}, {3200, 0, 9}, {128, 0, 2}, {64, 0, 9}, {100, 5, 6}};
  MemoryPlan plan = plan_memory(ranges);
  expect_no_overlap(ranges, plan);
  EXPECT_EQ(plan.arena_bytes, plan.lower_bound);
}

TEST(MemoryPlan, NothingNeedsNoMemory) {
  EXPECT_EQ(plan_memory({}).arena_bytes, 0);
  std::vector<LiveRange> empty = {{0, 0, 1}, {0, 0, 1}};
  EXPECT_EQ(plan_memory(empty).arena_bytes, 0);
}

TEST(MemoryPlan, RandomLifetimesNeverOverlapAndStayNearTheBound) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::vector<LiveRange> ranges;
    for (int i = 0; i < 60; ++i) {
      int first = static_cast<int>(random() % 100);
      ranges.push_back({static_cast<std::int64_t>(random() % 10000), first, first + static_cast<int>(random() % 6)});
    }
    MemoryPlan plan = plan_memory(ranges);
    expect_no_overlap(ranges, plan);
    EXPECT_GE(plan.arena_bytes, plan.lower_bound);
    EXPECT_LE(plan.arena_bytes, plan.lower_bound * 3 / 2);
  }
}

}  // namespace
}  // namespace loopglass::runtime
