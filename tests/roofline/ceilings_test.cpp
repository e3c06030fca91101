// The roofs over a kernel, counted by hand.
#include "core/roofline/ceilings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace loopglass::roofline {
namespace {

Roofs roofs() {
  Roofs roofs;
  roofs.float32_gflops = 100;
  roofs.float64_gflops = 50;
  roofs.byte_products_gflops = 150;
  roofs.launch_microseconds = 2;
  roofs.levels = {
      {"L1", 32 << 10, 200}, {"L2", 1 << 20, 100}, {"L3", 32 << 20, 50}, {"memory", 0, 10}};
  return roofs;
}

const Ceiling* find(const std::vector<Ceiling>& ceilings, Bound bound) {
  const auto found = std::ranges::find(ceilings, bound, &Ceiling::bound);
  return found == ceilings.end() ? nullptr : &*found;
}

TEST(Ceilings, AreWhatEachRoofAloneWouldTake) {
  Traffic traffic;
  traffic.flops = traffic.useful_flops = 1e6;  // 10 us at 100 GFLOP/s
  traffic.l1 = 4e6;                            // 20 us at 200 GB/s
  traffic.memory = 5e5;                        // 50 us at 10 GB/s
  const std::vector<Ceiling> ceilings = ceilings_of(traffic, roofs(), 0.1);
  ASSERT_EQ(ceilings.size(), 4u) << "nothing is asked of L2 and L3";
  EXPECT_EQ(ceilings.front().bound, Bound::Memory);
  EXPECT_NEAR(ceilings.front().milliseconds, 0.050, 1e-12);
  EXPECT_NEAR(ceilings.front().share, 0.5, 1e-12);
  EXPECT_NEAR(find(ceilings, Bound::L1)->milliseconds, 0.020, 1e-12);
  EXPECT_NEAR(find(ceilings, Bound::Compute)->share, 0.1, 1e-12);
  // Calling it goes on top of what it takes.
  EXPECT_NEAR(find(ceilings, Bound::Launch)->share, 0.002 / 0.102, 1e-12);
  EXPECT_TRUE(std::ranges::is_sorted(ceilings, std::greater(), &Ceiling::milliseconds));
}

TEST(Ceilings, SayWhyAKernelIsAboveOne) {
  EXPECT_EQ(above_words({Bound::Compute, 1, 1.02}), "");
  EXPECT_EQ(above_words({Bound::L1, 1, 1.77}),
            "it takes 56 % of what its roof asks for: its machine code does not do all that stands "
            "in the nest, or the roof was measured too low, as on a busy machine");
  EXPECT_EQ(above_words({Bound::L2, 1, 1.25}),
            "it takes 80 % of what its roof asks for: a part of its data was still nearer than is "
            "counted, or the roof was measured too low, as on a busy machine");
}

TEST(Ceilings, AreOfTheTypeThatIsComputedIn) {
  Traffic traffic;
  traffic.flops = traffic.useful_flops = 1e6;
  traffic.type = DataType::Float64;
  EXPECT_NEAR(find(ceilings_of(traffic, roofs(), 1), Bound::Compute)->milliseconds, 0.020, 1e-12);
  traffic.type = DataType::Int32;
  EXPECT_NEAR(find(ceilings_of(traffic, roofs(), 1), Bound::Compute)->milliseconds, 0.01 / 1.5,
              1e-12);
  traffic.type = DataType::Int8;
  EXPECT_EQ(find(ceilings_of(traffic, roofs(), 1), Bound::Compute), nullptr)
      << "nobody has measured that";
}

}  // namespace
}  // namespace loopglass::roofline
