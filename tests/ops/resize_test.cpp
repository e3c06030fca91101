// Resize and Upsample; resize_exact_test.cpp compares all rules in exact arithmetic.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

const Tensor four_pixels = f32({4}, {10, 20, 30, 40});

Tensor resized(const Tensor& x, Attributes attributes, const std::string& mode,
               const std::string& transformation = "half_pixel") {
  attributes.set("mode", mode);
  attributes.set("coordinate_transformation_mode", transformation);
  return run("Resize", {x}, attributes);
}
Attributes to_sizes(Integers sizes) { return {{"sizes", std::move(sizes)}}; }
Attributes by_scales(Reals scales) { return {{"scales", std::move(scales)}}; }

TEST(Resize, NearestRoundsAsToldTo) {
  const auto nearest = [&](const std::string& mode, const std::string& transformation) {
    return elements(
        resized(four_pixels, with(to_sizes({8}), "nearest_mode", mode), "nearest", transformation));
  };
  // Positions 0, 0.5, 1, ...: every second lies between two elements.
  EXPECT_THAT(nearest("floor", "asymmetric"), Near({10, 10, 20, 20, 30, 30, 40, 40}));
  EXPECT_THAT(nearest("ceil", "asymmetric"), Near({10, 20, 20, 30, 30, 40, 40, 40}));
  EXPECT_THAT(nearest("round_prefer_floor", "asymmetric"), Near({10, 10, 20, 20, 30, 30, 40, 40}));
  EXPECT_THAT(nearest("round_prefer_ceil", "asymmetric"), Near({10, 20, 20, 30, 30, 40, 40, 40}));
  EXPECT_THAT(nearest("round_prefer_floor", "half_pixel"), Near({10, 10, 20, 20, 30, 30, 40, 40}));
  EXPECT_THAT(nearest("floor", "half_pixel"), Near({10, 10, 10, 20, 20, 30, 30, 40}));
}

TEST(Resize, NearestOfAnyType) {
  expect_tensor(resized(i64({2, 2}, {1, 2, 3, 4}), by_scales({2, 1}), "nearest"), {4, 2},
                {1, 2, 1, 2, 3, 4, 3, 4});
  expect_tensor(resized(boolean({2}, {true, false}), to_sizes({3}), "nearest"), {3}, {1, 1, 0});
}

TEST(Resize, LinearByEachTransformation) {
  const auto linear = [&](std::int64_t size, const std::string& transformation) {
    return elements(resized(four_pixels, to_sizes({size}), "linear", transformation));
  };
  EXPECT_THAT(linear(8, "half_pixel"), Near({10, 12.5, 17.5, 22.5, 27.5, 32.5, 37.5, 40}));
  EXPECT_THAT(linear(8, "asymmetric"), Near({10, 15, 20, 25, 30, 35, 40, 40}));
  EXPECT_THAT(linear(7, "align_corners"), Near({10, 15, 20, 25, 30, 35, 40}));
  EXPECT_THAT(linear(2, "half_pixel"), Near({15, 35}));
  EXPECT_THAT(linear(1, "half_pixel"), Near({25}));
  EXPECT_THAT(linear(1, "pytorch_half_pixel"), Near({10}));
  EXPECT_THAT(linear(1, "align_corners"), Near({10}));
}

TEST(Resize, LinearInTwoDimensionsBlendsFour) {
  expect_tensor(resized(f32({2, 2}, {0, 4, 8, 12}), to_sizes({3, 3}), "linear", "align_corners"),
                {3, 3}, {0, 2, 4, 4, 6, 8, 8, 10, 12});
}

// With the slope -0.5; with others it is not.
TEST(Resize, CubicIsExactOnStraightLinesInside) {
  const Reals values =
      elements(resized(counting({8}), with(to_sizes({16}), "cubic_coeff_a", -0.5), "cubic"));
  for (std::size_t i = 4; i < 12; ++i)
    EXPECT_NEAR(values[i], (static_cast<double>(i) + 0.5) / 2 - 0.5, 1e-5);
}

// At position 0.5 the weights of the neighbours at -1, 0, 1, 2 are a/8, (4 - a)/8, (4 - a)/8, a/8.
TEST(Resize, CubicWeightsItsFourNeighbours) {
  const auto at_half = [&](Attributes more) {
    more.set("sizes", Integers{8});
    return elements(resized(f32({4}, {1, 10, 100, 1000}), more, "cubic", "asymmetric"))[1];
  };
  EXPECT_NEAR(at_half({{"cubic_coeff_a", -0.5}}), (-0.5 * 1 + 4.5 * 1 + 4.5 * 10 - 0.5 * 100) / 8,
              1e-4);  // the edge repeats
  EXPECT_NEAR(at_half({{"cubic_coeff_a", -0.5}, {"exclude_outside", std::int64_t{1}}}),
              (4.5 * 1 + 4.5 * 10 - 0.5 * 100) / 8.5, 1e-4);
}

TEST(Resize, CubicInTwoDimensionsIsOneAxisAfterTheOther) {
  const Tensor x = random_floats({5, 6}, 1);
  const Tensor rows = resized(x, to_sizes({9, 6}), "cubic"),
               both = resized(x, to_sizes({9, 7}), "cubic");
  expect_tensor(both, {9, 7}, elements(resized(rows, to_sizes({9, 7}), "cubic")));
}

TEST(Resize, CropsAndExtrapolates) {
  // From 0.5 to 1.5 of the axis: positions 1.5, 3, 4.5 of 0 to 3.
  const Attributes crop{
      {"sizes", Integers{3}}, {"roi", Reals{0.5, 1.5}}, {"extrapolation_value", -7.0}};
  expect_tensor(resized(four_pixels, crop, "linear", "tf_crop_and_resize"), {3}, {25, 40, -7});
  expect_tensor(
      resized(four_pixels, with(crop, "nearest_mode", "floor"), "nearest", "tf_crop_and_resize"),
      {3}, {20, 40, -7});
  EXPECT_THAT(refusal("Resize", {four_pixels.type()},
                      with(to_sizes({3}), "coordinate_transformation_mode", "tf_crop_and_resize")),
              HasSubstr("'roi'"));
}

TEST(Resize, ScalesRoundTheExtentDown) {
  EXPECT_EQ(inferred_shape("Resize", {four_pixels.type()}, by_scales({0.6})), Shape{2});
  EXPECT_EQ(inferred_shape("Resize", {{DataType::Float32, {3}}}, by_scales({2.3333333})), Shape{7});
  EXPECT_THAT(refusal("Resize", {four_pixels.type()}, {}),
              HasSubstr("one of 'scales' and 'sizes'"));
  EXPECT_THAT(
      refusal("Resize", {four_pixels.type()}, {{"sizes", Integers{4}}, {"scales", Reals{1}}}),
      HasSubstr("one of 'scales' and 'sizes'"));
  EXPECT_THAT(refusal("Resize", {{DataType::Int32, {4}}}, with(to_sizes({8}), "mode", "linear")),
              StartsWith("LG2003"));
}

TEST(Resize, ToNothing) {
  expect_tensor(resized(four_pixels, to_sizes({0}), "nearest"), {0}, {});
  expect_tensor(resized(four_pixels, by_scales({0.2}), "linear"), {0}, {});
  expect_tensor(resized(f32({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}), to_sizes({3, 0}), "cubic"), {3, 0},
                {});
  // Of nothing there is nothing to take.
  expect_tensor(resized(f32({0, 2}, {}), to_sizes({0, 3}), "linear"), {0, 3}, {});
  EXPECT_THAT(refusal("Resize", {{DataType::Float32, {0}}}, to_sizes({2})),
              HasSubstr("an extent of 0 cannot be resized to 2"));
}

// Where all one can say is "the first": the standard's text, for modes that blend as well.
TEST(Resize, ToOneElementByTheTextsOwnRule) {
  for (const char* mode : {"nearest", "linear", "cubic"}) {
    expect_tensor(resized(four_pixels, to_sizes({1}), mode, "pytorch_half_pixel"), {1}, {10});
    expect_tensor(resized(four_pixels, by_scales({0.4}), mode, "pytorch_half_pixel"), {1}, {10});
  }
  const Attributes crop = with(by_scales({0.4}), "roi", Reals{0, 1});
  expect_tensor(resized(four_pixels, crop, "linear", "tf_crop_and_resize"), {1}, {25});
}

TEST(Resize, OnlyTheAxesThatAreNamed) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  expect_tensor(resized(x, with(to_sizes({4}), "axes", Integers{-1}), "nearest"), {2, 4},
                {1, 1, 2, 2, 3, 3, 4, 4});
  expect_tensor(resized(x, with(by_scales({0.5, 2}), "axes", Integers{1, 0}), "nearest"), {4, 1},
                {1, 1, 3, 3});
  EXPECT_THAT(refusal("Resize", {x.type()}, with(to_sizes({4, 4}), "axes", Integers{1})),
              HasSubstr("2 scales or sizes for 1 axes"));
}

// 8 of 4 and 5 of 2 are scales of 2 and 5/2, and one of the two holds for both.
TEST(Resize, KeepsTheAspectRatio) {
  const auto shape = [](const std::string& policy, Integers sizes) {
    return inferred_shape("Resize", {{DataType::Float32, {4, 2}}},
                          with(to_sizes(std::move(sizes)), "keep_aspect_ratio_policy", policy));
  };
  EXPECT_EQ(shape("stretch", {8, 5}), (Shape{8, 5}));
  EXPECT_EQ(shape("not_larger", {8, 5}), (Shape{8, 4}));
  EXPECT_EQ(shape("not_smaller", {8, 5}), (Shape{10, 5}));
  EXPECT_EQ(shape("not_larger", {5, 3}), (Shape{5, 3}));  // 2 * 5 / 4 rounds half up
}

// Where positions fall on whole fractions the index is integer arithmetic, which loops can reason
// about.
TEST(Resize, NearestReadsByIntegerArithmeticWhereItCan) {
  const auto body = [&](Attributes attributes, Shape shape) {
    const OpDef& op = *find_operator("Resize");
    const TensorType x{DataType::Float32, std::move(shape)};
    const TensorType* inputs[] = {&x};
    const auto outputs = infer(op, inputs, attributes, 1);
    const auto program = program_of(op, inputs, attributes, *outputs);
    return to_string(program->stages.back().body);
  };
  EXPECT_EQ(body(by_scales({1, 2}), {3, 5}), "X[i0, i1 floordiv 2]");
  EXPECT_EQ(body(to_sizes({3, 10}), {1, 5}), "X[0, i1 floordiv 2]");
  EXPECT_EQ(body(by_scales({0.5}), {8}), "X[i0 * 2]");
  // Ties in the middle of the axis, and ends that the input does not have.
  Attributes ties = to_sizes({8});
  ties.set("coordinate_transformation_mode", "asymmetric");
  ties.set("nearest_mode", "round_prefer_ceil");
  EXPECT_EQ(body(ties, {7}), "X[(i0 * 4 + 4) floordiv 5]");
}

TEST(Resize, OldFormsAreAsymmetricAndRoundDown) {
  const auto match = find_onnx("", "Upsample", 9);
  ASSERT_TRUE(match);
  const TensorType x{DataType::Float32, {1, 1, 2, 3}};
  const TensorType* inputs[] = {&x};
  const auto adapted = [&](Reals scales) {
    return match->mapping->adapt(Attributes{{"mode", "nearest"}, {"scales", std::move(scales)}},
                                 InferContext{inputs, {}, 1});
  };
  const auto doubled = adapted({1, 1, 2, 2});
  ASSERT_TRUE(doubled);
  EXPECT_EQ(doubled->string("coordinate_transformation_mode"), "asymmetric");
  EXPECT_EQ(doubled->string("nearest_mode"), "floor");
  EXPECT_TRUE(adapted({1, 1, 0.5, 1}));   // every second element, whichever way one rounds
  EXPECT_FALSE(adapted({1, 1, 1, 0.7}));  // elements 0 and 1.43
  // One over 3 is no float32: 3 less a millionth is 3, unless another axis has to round down.
  const auto third = adapted({1, 1, 1, 1 / 3.f});
  ASSERT_TRUE(third);
  EXPECT_EQ(third->string("nearest_mode"), "round_prefer_floor");
  EXPECT_FALSE(adapted({1, 1, 2, 1 / 3.f}));
}

TEST(Resize, WhatLaterOperatorSetsBrought) {
  const auto adapted = [](int opset, Attributes attributes) {
    const TensorType* inputs[] = {&four_pixels.type()};
    return find_onnx("", "Resize", opset)
        ->mapping->adapt(std::move(attributes), InferContext{inputs, {}, 1});
  };
  const Attributes symmetric{{"coordinate_transformation_mode", "half_pixel_symmetric"}};
  EXPECT_TRUE(adapted(19, symmetric));
  EXPECT_FALSE(adapted(18, symmetric));
  const auto plain = adapted(18, {{"antialias", std::int64_t{0}}});
  ASSERT_TRUE(plain);
  EXPECT_FALSE(plain->has("antialias"));
  EXPECT_EQ(adapted(18, {{"antialias", std::int64_t{1}}}).error().code, Code::AttributeUnsupported);
}

}  // namespace
}  // namespace loopglass::ops
