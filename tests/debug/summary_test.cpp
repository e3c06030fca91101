// Tensors in numbers, alone and against one another.
#include "core/debug/lens.h"

#include <gmock/gmock.h>
#include <cmath>
#include <limits>
#include <numeric>

namespace loopglass::debug {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity(),
                nan = std::numeric_limits<float>::quiet_NaN();

Summary summary_of(const Tensor& tensor, const SummaryOptions& options = {}) {
  graph::Value value{graph::ValueId{3}, "value", tensor.type(), graph::NodeId{1}, {}};
  return summarise(value, tensor, options);
}

TEST(Summary, CountsWhatIsNotFiniteAndDescribesTheRest) {
  const Summary summary =
      summary_of(Tensor::of<float>({7}, {1, nan, 2, infinity, 3, -infinity, 6}), {4, 3});
  EXPECT_EQ(summary.elements, 7);
  EXPECT_EQ(summary.nan, 1);
  EXPECT_EQ(summary.infinite, 2);
  EXPECT_EQ(summary.finite(), 4);
  EXPECT_EQ(summary.minimum, 1);
  EXPECT_EQ(summary.maximum, 6);
  EXPECT_EQ(summary.mean, 3);
  EXPECT_DOUBLE_EQ(summary.standard_deviation, std::sqrt(14.0 / 4));
  EXPECT_THAT(summary.histogram,
              ::testing::ElementsAre(2, 1, 0, 1));  // edges 1, 2.25, 3.5, 4.75, 6
  EXPECT_EQ(summary.first.shape(), Shape{3});
  EXPECT_TRUE(std::isnan(summary.first.as<float>()[1]));
}

TEST(Summary, NothingFiniteLeavesZeroes) {
  for (const Tensor& tensor :
       {Tensor::of<float>({2}, {nan, infinity}), Tensor({DataType::Float32, {0, 3}})}) {
    const Summary summary = summary_of(tensor);
    EXPECT_EQ(summary.finite(), 0);
    EXPECT_EQ(summary.minimum, 0);
    EXPECT_EQ(summary.standard_deviation, 0);
    EXPECT_EQ(std::accumulate(summary.histogram.begin(), summary.histogram.end(), std::int64_t{0}),
              0);
  }
}

TEST(Summary, AConstantTensorFallsIntoOneBin) {
  const Summary summary = summary_of(Tensor::of<float>({4}, {5, 5, 5, 5}), {3, 1});
  EXPECT_THAT(summary.histogram, ::testing::ElementsAre(4, 0, 0));
  EXPECT_EQ(summary.standard_deviation, 0);
}

TEST(Summary, EveryElementIsInTheHistogram) {
  for (const Tensor& tensor :
       {Tensor::of<bool>({3}, {true, false, true}), Tensor::of<std::uint8_t>({3}, {0, 255, 7}),
        Tensor::of<Float16>({3}, {Float16(-65504), Float16(65504), Float16(0)}),
        Tensor::of<std::int64_t>({2}, {std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max()}),
        Tensor::of<double>({3}, {-1.7e308, 1.7e308, 1.7e308})}) {
    const Summary summary = summary_of(tensor);
    EXPECT_EQ(std::accumulate(summary.histogram.begin(), summary.histogram.end(), std::int64_t{0}),
              tensor.elements());
    EXPECT_TRUE(std::isfinite(summary.mean) && std::isfinite(summary.standard_deviation))
        << name(tensor.data_type());
    EXPECT_LE(summary.minimum, summary.mean);
    EXPECT_LE(summary.mean, summary.maximum);
  }
}

TEST(Summary, ElementsAreWrittenExactly) {
  EXPECT_EQ(element_text(Tensor::of<float>({2}, {0.1f, -infinity}), 0), "0.1");
  EXPECT_EQ(element_text(Tensor::of<float>({2}, {0.1f, -infinity}), 1), "-inf");
  EXPECT_EQ(element_text(Tensor::of<std::int64_t>({1}, {9007199254740993}), 0), "9007199254740993");
  EXPECT_EQ(element_text(Tensor::of<std::uint64_t>({1}, {18446744073709551615u}), 0),
            "18446744073709551615");
  EXPECT_EQ(element_text(Tensor::of<std::int8_t>({1}, {65}), 0), "65");
  EXPECT_EQ(element_text(Tensor::of<bool>({1}, {true}), 0), "true");
}

TEST(Difference, EqualToTheBit) {
  const Tensor tensor = Tensor::of<float>({3}, {1, nan, infinity});
  const Difference found = difference(tensor, Tensor::of<float>({3}, {1, nan, infinity}), {});
  EXPECT_FALSE(found.diverges);
  EXPECT_EQ(found.bitwise_different, 0);
  EXPECT_EQ(found.worst, -1);
}

TEST(Difference, ZeroesOfBothSignsAndNansOfAnyKindAreTheSameButNotToTheBit) {
  const float other_nan = std::bit_cast<float>(0x7fc00001);
  const Difference found = difference(Tensor::of<float>({2}, {0.0f, nan}),
                                      Tensor::of<float>({2}, {-0.0f, other_nan}), {});
  EXPECT_FALSE(found.diverges);
  EXPECT_EQ(found.bitwise_different, 2);
  EXPECT_EQ(found.relative_error, 0);
}

// A sum of large terms that comes out near zero errs by the size of its terms.
TEST(Difference, SmallElementsMayErrByTheSizeOfTheirNeighbours) {
  const Tensor expected = Tensor::of<float>({4}, {100, -100, 100, 0.001f});
  EXPECT_FALSE(difference(expected, Tensor::of<float>({4}, {100, -100, 100, 0.002f}), {}).diverges);
  const Difference found =
      difference(expected, Tensor::of<float>({4}, {100, -100, 101, 0.002f}), {});
  EXPECT_TRUE(found.diverges);
  EXPECT_EQ(found.outside, 1);
  EXPECT_EQ(found.bitwise_different, 2);
  EXPECT_EQ(found.worst, 2);
  EXPECT_EQ(found.worst_before, 100);
  EXPECT_EQ(found.worst_after, 101);
  EXPECT_EQ(found.absolute_error, 1);
}

TEST(Difference, WhatIsNotFiniteMustAgree) {
  EXPECT_TRUE(difference(Tensor::of<float>({1}, {1}), Tensor::of<float>({1}, {nan}), {}).diverges);
  EXPECT_TRUE(difference(Tensor::of<float>({1}, {nan}), Tensor::of<float>({1}, {1}), {}).diverges);
  EXPECT_TRUE(
      difference(Tensor::of<float>({1}, {infinity}), Tensor::of<float>({1}, {-infinity}), {})
          .diverges);
  EXPECT_TRUE(
      difference(Tensor::of<float>({1}, {infinity}), Tensor::of<float>({1}, {3e38f}), {}).diverges);
}

TEST(Difference, IntegersAndBooleansMustBeEqualWhateverTheTolerance) {
  const Tolerance loose{1e9, 1e9, 1e9};
  const auto big = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(difference(Tensor::of<std::int64_t>({1}, {big}),
                         Tensor::of<std::int64_t>({1}, {big - 1}), loose)
                  .diverges);
  EXPECT_TRUE(
      difference(Tensor::of<bool>({1}, {true}), Tensor::of<bool>({1}, {false}), loose).diverges);
  const Difference widest = difference(Tensor::of<std::int64_t>({1}, {-big - 1}),
                                       Tensor::of<std::int64_t>({1}, {big}), {});
  EXPECT_EQ(widest.absolute_error, 18446744073709551615.0);
}

TEST(Difference, HalfPrecisionHasAToleranceOfItsOwn) {
  const Tensor expected = Tensor::of<Float16>({1}, {Float16(1)});
  EXPECT_FALSE(difference(expected, Tensor::of<Float16>({1}, {Float16(1.01)}), {}).diverges);
  EXPECT_TRUE(difference(expected, Tensor::of<Float16>({1}, {Float16(1.1)}), {}).diverges);
}

TEST(Difference, OtherTypesAreNotCompared) {
  const Difference found =
      difference(Tensor::of<float>({2}, {1, 2}), Tensor::of<float>({1, 2}, {1, 2}), {});
  EXPECT_FALSE(found.comparable);
  EXPECT_FALSE(found.diverges);
}

}  // namespace
}  // namespace loopglass::debug
