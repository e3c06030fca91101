// Normalising operators against their formulas.
#include "tests/ops/arrays.h"

#include <numeric>

namespace loopglass::ops {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// (x - mean) / sqrt(variance + epsilon) of each run of `size` elements, scaled and shifted.
Reals normalised(const Tensor& x, std::size_t size, double epsilon, double scale = 1,
                 double shift = 0) {
  Reals values = elements(x);
  for (std::size_t first = 0; first < values.size(); first += size) {
    double mean = 0, variance = 0;
    for (std::size_t i = 0; i < size; ++i) mean += values[first + i] / static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i)
      variance += std::pow(values[first + i] - mean, 2) / static_cast<double>(size);
    for (std::size_t i = 0; i < size; ++i)
      values[first + i] =
          (values[first + i] - mean) / std::sqrt(variance + epsilon) * scale + shift;
  }
  return values;
}

const Tensor two = f32({2}, {2, 3}), shift = f32({2}, {10, 20}), mean = f32({2}, {1, -1}),
             variance = f32({2}, {4, 0.25f});

TEST(BatchNormalization, UsesTheRunningStatistics) {
  const Tensor x = f32({1, 2, 2}, {1, 3, -1, 0});
  expect_tensor(run("BatchNormalization", {x, two, shift, mean, variance}, {{"epsilon", 0.0}}),
                {1, 2, 2}, {10, 12, 20, 26});
  EXPECT_THAT(refusal("BatchNormalization",
                      {x.type(), two.type(), shift.type(), mean.type(), {DataType::Float32, {3}}}),
              HasSubstr("input 4 is float32[3], with 2 channels"));
  EXPECT_THAT(refusal("BatchNormalization",
                      {x.type(), two.type(), shift.type(), mean.type(), variance.type()}, {}, 3),
              StartsWith("LG2002: BatchNormalization: running statistics"));
}

// Training: by the batch's own mean and population variance, and running = running * momentum +
// batch * (1 - momentum).
TEST(BatchNormalization, TrainsOnTheBatch) {
  const Tensor x = f32({2, 2, 2}, {1, 3, 0, 0, 5, 7, 2, 2});
  const auto outputs =
      run_all("BatchNormalization", {x, f32({2}, {1, 1}), f32({2}, {0, 0}), mean, variance},
              {{"epsilon", 0.0}, {"momentum", 0.75}, {"training_mode", one}}, 3);
  const double s = std::sqrt(5.0);
  expect_tensor(outputs[0], {2, 2, 2}, {-3 / s, -1 / s, -1, -1, 1 / s, 3 / s, 1, 1});
  expect_tensor(outputs[1], {2}, {0.75 + 1, -0.75 + 0.25});
  expect_tensor(outputs[2], {2}, {3 + 1.25, 0.1875 + 0.25});
}

TEST(InstanceNormalization, NormalisesEachImageOfEachChannel) {
  const Tensor x = random_floats({2, 1, 3, 4}, 1);
  expect_tensor(
      run("InstanceNormalization", {x, f32({1}, {2}), f32({1}, {-1})}, {{"epsilon", 1e-3}}),
      {2, 1, 3, 4}, normalised(x, 12, 1e-3, 2, -1));
}

TEST(LayerNormalization, NormalisesFromTheAxisOn) {
  const Tensor x = random_floats({2, 3, 4}, 2), ones = f32({1}, {1});
  expect_tensor(run("LayerNormalization", {x, ones}), {2, 3, 4}, normalised(x, 4, 1e-5));
  expect_tensor(
      run("LayerNormalization", {x, f32({}, {3}), f32({4}, {5, 5, 5, 5})}, {{"axis", one}}),
      {2, 3, 4}, normalised(x, 12, 1e-5, 3, 5));
}

TEST(LayerNormalization, GivesItsStatistics) {
  const auto outputs = run_all("LayerNormalization", {f32({2, 2}, {1, 3, 2, 10}), f32({1}, {1})},
                               {{"epsilon", 0.0}}, 3);
  expect_tensor(outputs[1], {2, 1}, {2, 6});
  expect_tensor(outputs[2], {2, 1}, {1, 0.25});
}

// The mean is far greater than the deviation: the difference of squares would be noise in float32.
TEST(LayerNormalization, KeepsSmallDeviationsFromLargeMeans) {
  const Tensor x = f32({1, 4}, {10000, 10001, 10002, 10003});
  expect_tensor(run("LayerNormalization", {x, f32({1}, {1})}), {1, 4}, normalised(x, 4, 1e-5),
                1e-4);
}

TEST(LayerNormalization, StashTypeDecidesThePrecision) {
  const TensorType x{DataType::Float64, {2, 3}}, scale{DataType::Float64, {3}};
  EXPECT_EQ((*inferred("LayerNormalization", {x, scale}, {}, 2))[1].type, DataType::Float32);
  EXPECT_EQ(
      (*inferred("LayerNormalization", {x, scale}, {{"stash_type", std::int64_t{11}}}, 2))[1].type,
      DataType::Float64);
  EXPECT_THAT(refusal("LayerNormalization", {x, scale}, {{"stash_type", std::int64_t{10}}}),
              StartsWith("LG2002: LayerNormalization: stash_type 10"));
}

TEST(MeanVarianceNormalization, NormalisesOverItsAxes) {
  const Tensor x = random_floats({1, 2, 3, 4}, 3);
  expect_tensor(run("MeanVarianceNormalization", {x}), {1, 2, 3, 4}, normalised(x, 12, 0));
  expect_tensor(run("MeanVarianceNormalization", {x}, {{"axes", Integers{-1}}}), {1, 2, 3, 4},
                normalised(x, 4, 0));
}

// With size 3, channel c sees c - 1 to c + 1; with size 2, c and c + 1.
TEST(LRN, DividesByNeighbouringChannels) {
  const Tensor x = f32({1, 3, 1}, {1, 2, 3});
  const Attributes plain{{"alpha", 3.0}, {"beta", 1.0}, {"bias", 1.0}, {"size", std::int64_t{3}}};
  expect_tensor(run("LRN", {x}, plain), {1, 3, 1}, {1. / 6, 2. / 15, 3. / 14});
  expect_tensor(
      run("LRN", {x}, {{"alpha", 2.0}, {"beta", 1.0}, {"bias", 1.0}, {"size", std::int64_t{2}}}),
      {1, 3, 1}, {1. / 6, 2. / 14, 3. / 10});
}

TEST(LpNormalization, DividesByTheNormAndLeavesZerosAlone) {
  const Tensor x = f32({2, 2}, {3, -4, 0, 0});
  expect_tensor(run("LpNormalization", {x}), {2, 2}, {0.6, -0.8, 0, 0});
  expect_tensor(run("LpNormalization", {x}, {{"p", one}}), {2, 2}, {3. / 7, -4. / 7, 0, 0});
  expect_tensor(run("LpNormalization", {x}, {{"axis", std::int64_t{0}}}), {2, 2}, {1, -1, 0, 0});
  EXPECT_THAT(refusal("LpNormalization", {x.type()}, {{"p", std::int64_t{3}}}),
              StartsWith("LG2002"));
}

TEST(Softmax, AddsUpToOneAlongItsAxis) {
  const double e = std::exp(1.0);
  const Tensor x = f32({2, 2}, {0, 1, 2, 2});
  expect_tensor(run("Softmax", {x}), {2, 2}, {1 / (1 + e), e / (1 + e), 0.5, 0.5});
  expect_tensor(run("Softmax", {x}, {{"axis", std::int64_t{0}}}), {2, 2},
                {1 / (1 + e * e), 1 / (1 + e), e * e / (1 + e * e), e / (1 + e)});
}

TEST(Softmax, SurvivesGreatNumbers) {
  expect_tensor(run("Softmax", {f32({3}, {10000, 10000, -10000})}), {3}, {0.5, 0.5, 0});
  expect_tensor(run("LogSoftmax", {f32({2}, {10000, 9999})}), {2},
                {-std::log1p(std::exp(-1.0)), -1 - std::log1p(std::exp(-1.0))});
}

// Before opset 13: all axes from the named one on are one slice.
TEST(Softmax, FlattensAsOldOpsetsDid) {
  const Tensor x = f32({2, 1, 2}, {0, 0, 0, 0});
  const Attributes old{{"axis", one}, {"flatten", one}};
  expect_tensor(run("Softmax", {x}, old), {2, 1, 2}, {0.5, 0.5, 0.5, 0.5});
  expect_tensor(run("Softmax", {x}, {{"axis", std::int64_t{0}}, {"flatten", one}}), {2, 1, 2},
                {0.25, 0.25, 0.25, 0.25});
  expect_tensor(run("LogSoftmax", {x}, {{"axis", std::int64_t{0}}, {"flatten", one}}), {2, 1, 2},
                Reals(4, std::log(0.25)));
  expect_tensor(
      run("Hardmax", {f32({2, 1, 2}, {0, 3, 3, 1})}, {{"axis", std::int64_t{0}}, {"flatten", one}}),
      {2, 1, 2}, {0, 1, 0, 0});
}

TEST(Softmax, OldOpsetsFlattenOnlyWhereThereIsMoreThanOneAxis) {
  const auto match = find_onnx("", "Softmax", 11);
  ASSERT_TRUE(match);
  const auto adapted = [&](Shape shape, Attributes attributes) {
    const TensorType type{DataType::Float32, std::move(shape)};
    const TensorType* inputs[] = {&type};
    return *match->mapping->adapt(attributes, InferContext{inputs, attributes, 1});
  };
  EXPECT_EQ(adapted({2, 3}, {}), (Attributes{{"axis", one}}));
  EXPECT_EQ(adapted({2, 3, 4}, {}), (Attributes{{"axis", one}, {"flatten", one}}));
  EXPECT_EQ(adapted({2, 3, 4}, {{"axis", std::int64_t{-1}}}),
            (Attributes{{"axis", std::int64_t{-1}}}));
}

TEST(Hardmax, MarksTheFirstGreatest) {
  expect_tensor(run("Hardmax", {f32({2, 3}, {1, 5, 5, 7, 7, 0})}), {2, 3}, {0, 1, 0, 1, 0, 0});
}

}  // namespace
}  // namespace loopglass::ops
