// Reductions: which axes go, what is computed over them, and how it holds at extremes.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct ReductionCase {
  std::string op;
  Reals expected;  // of [[1, -2], [3, 4]] along axis 1
};
class Reduction : public testing::TestWithParam<ReductionCase> {};

TEST_P(Reduction, ReducesAlongAnAxis) {
  const Tensor x = f32({2, 2}, {1, -2, 3, 4});
  EXPECT_THAT(computed(GetParam().op, {x}, {{"axes", Integers{1}}}), Near(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    All, Reduction,
    testing::Values(ReductionCase{"ReduceSum", {-1, 7}}, ReductionCase{"ReduceMean", {-0.5, 3.5}},
                    ReductionCase{"ReduceMax", {1, 4}}, ReductionCase{"ReduceMin", {-2, 3}},
                    ReductionCase{"ReduceProd", {-2, 12}}, ReductionCase{"ReduceL1", {3, 7}},
                    ReductionCase{"ReduceL2", {2.236067977, 5}},
                    ReductionCase{"ReduceSumSquare", {5, 25}},
                    ReductionCase{"ReduceLogSum", {not_a_number, 1.945910149}},
                    ReductionCase{"ReduceLogSumExp", {1.048587351, 4.313261687}}),
    [](const auto& test) { return test.param.op; });

// float32 counts to 16777216 and then no further by ones.
TEST(LongSums, CountBeyondTheirMantissa) {
  Tensor ones(f32_type({20'000'000}));
  std::ranges::fill(ones.as<float>(), 1.0f);
  EXPECT_THAT(computed("ReduceSum", {ones}), Near({20'000'000}, 0));
  EXPECT_THAT(computed("ReduceMean", {ones}), Near({1}, 0));
}

TEST(Axes, DecideTheShape) {
  const TensorType x = f32_type({2, 3, 4});
  const Attributes drop{{"axes", Integers{-1, 0}}, {"keepdims", std::int64_t{0}}};
  EXPECT_EQ(inferred_shape("ReduceSum", {x}), (Shape{1, 1, 1}));
  EXPECT_EQ(inferred_shape("ReduceSum", {x}, {{"keepdims", std::int64_t{0}}}), Shape{});
  EXPECT_EQ(inferred_shape("ReduceSum", {x}, {{"axes", Integers{-1}}}), (Shape{2, 3, 1}));
  EXPECT_EQ(inferred_shape("ReduceSum", {x}, drop), (Shape{3}));
  EXPECT_THAT(computed("ReduceSum", {counting({2, 2, 2})}, drop), ElementsAre(10, 18));
  EXPECT_THAT(refusal("ReduceSum", {x}, {{"axes", Integers{3}}}), HasSubstr("axis 3"));
}

TEST(Axes, WithoutThemAllOrNothingIsReduced) {
  const Tensor x = f32({2}, {3, 4});
  const Attributes nothing{{"axes", Integers{}}, {"noop_with_empty_axes", std::int64_t{1}}};
  EXPECT_THAT(computed("ReduceSum", {x}, {{"axes", Integers{}}}), ElementsAre(7));
  EXPECT_THAT(computed("ReduceSum", {x}, nothing), ElementsAre(3, 4));
  // ONNX does not agree with itself about this one.
  EXPECT_THAT(refusal("ReduceL1", {f32_type({2})}, nothing), HasSubstr("no agreed meaning"));
}

TEST(Axes, MayBeEmptyOrTheTensorAScalar) {
  EXPECT_THAT(computed("ReduceSum", {f32({0}, {})}), ElementsAre(0));
  EXPECT_THAT(computed("ReduceProd", {f32({0}, {})}), ElementsAre(1));
  EXPECT_THAT(computed("ReduceMax", {f32({0}, {})}), Near({-infinity}));
  EXPECT_THAT(computed("ReduceL2", {f32({}, {-3})}), ElementsAre(3));
}

TEST(ReduceLogSumExp, NeitherOverflowsNorLosesInfinities) {
  EXPECT_THAT(computed("ReduceLogSumExp", {f32({2}, {1000, 1000})}), Near({1000.693147}));
  EXPECT_THAT(computed("ReduceLogSumExp", {f32({2}, {-INFINITY, -INFINITY})}), Near({-infinity}));
  EXPECT_THAT(computed("ReduceLogSumExp", {f32({2}, {1, INFINITY})}), Near({infinity}));
}

// 4096 halves of 0.25 reach 1024; added one by one in float16 they would stick at 512.
TEST(ReduceSum, AddsFloat16InFloat32) {
  Tensor x({DataType::Float16, {4096}});
  for (Float16& element : x.as<Float16>()) element = static_cast<Float16>(0.25f);
  const Tensor sum = run("ReduceSum", {x}), mean = run("ReduceMean", {x});
  EXPECT_EQ(sum.data_type(), DataType::Float16);
  EXPECT_THAT(elements(sum), ElementsAre(1024));
  EXPECT_THAT(elements(mean), ElementsAre(0.25));
}

TEST(ReduceMean, OfIntegersNeitherWrapsNorRoundsEarly) {
  EXPECT_THAT(computed("ReduceMean", {Tensor::of<std::int8_t>({4}, {127, 127, 127, 126})}),
              ElementsAre(126));
  EXPECT_THAT(computed("ReduceL2", {Tensor::of<std::int32_t>({2}, {3, 4})}), ElementsAre(5));
}

}  // namespace
}  // namespace loopglass::ops
