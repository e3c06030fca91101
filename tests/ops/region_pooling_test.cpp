// RoiAlign and MaxRoiPool.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::HasSubstr;

// Element (row, column) is 10 * row + column: bilinear samples are exact.
Tensor plane() {
  Tensor x({DataType::Float32, {1, 1, 6, 6}});
  for (std::size_t i = 0; i < 36; ++i) x.as<float>()[i] = static_cast<float>(i / 6 * 10 + i % 6);
  return x;
}

Attributes align(const std::string& transformation, std::int64_t ratio, double scale = 1) {
  return {{"coordinate_transformation_mode", transformation},
          {"output_height", std::int64_t{2}},
          {"output_width", std::int64_t{1}},
          {"sampling_ratio", ratio},
          {"spatial_scale", scale}};
}

// On a plane the mean of a bin is the value at its centre.
TEST(RoiAlign, AveragesSamplesOfEachBin) {
  const Tensor region = f32({1, 4}, {1, 0, 3, 4});  // columns 1 to 3, rows 0 to 4
  expect_tensor(run("RoiAlign", {plane(), region, i64({1}, {0})}, align("output_half_pixel", 2)),
                {1, 1, 2, 1}, {12, 32});
  // Half a pixel to the left and up; samples above the first row are held at it.
  expect_tensor(run("RoiAlign", {plane(), region, i64({1}, {0})}, align("half_pixel", 1)),
                {1, 1, 2, 1}, {6.5, 26.5});
  expect_tensor(run("RoiAlign", {plane(), f32({1, 4}, {2, 0, 6, 8}), i64({1}, {0})},
                    align("output_half_pixel", 3, 0.5)),
                {1, 1, 2, 1}, {12, 32});
}

TEST(RoiAlign, IsZeroBeyondTheImage) {
  expect_tensor(run("RoiAlign", {plane(), f32({1, 4}, {20, 20, 22, 22}), i64({1}, {0})},
                    align("output_half_pixel", 2)),
                {1, 1, 2, 1}, {0, 0});
}

TEST(RoiAlign, RefusesSampleCountsThatDependOnData) {
  const TensorType regions{DataType::Float32, {1, 4}}, images{DataType::Int64, {1}};
  EXPECT_THAT(refusal("RoiAlign", {plane().type(), regions, images}),
              HasSubstr("sampling_ratio 0"));
  EXPECT_THAT(refusal("RoiAlign", {plane().type(), regions, images},
                      {{"mode", "max"}, {"sampling_ratio", std::int64_t{2}}}),
              HasSubstr("mode 'max'"));
}

TEST(MaxRoiPool, TakesTheGreatestOfEachBin) {
  const Attributes two{{"pooled_shape", Integers{2, 2}}};
  // Columns 1 to 4 and rows 0 to 3, both ends included.
  expect_tensor(run("MaxRoiPool", {plane(), f32({1, 5}, {0, 1, 0, 4, 3})}, two), {1, 1, 2, 2},
                {12, 14, 32, 34});
  // Three columns in two bins overlap in the middle one.
  expect_tensor(run("MaxRoiPool", {plane(), f32({1, 5}, {0, 0, 0, 2, 1})}, two), {1, 1, 2, 2},
                {1, 2, 11, 12});
  expect_tensor(run("MaxRoiPool", {plane(), f32({1, 5}, {0, 20, 20, 24, 24})}, two), {1, 1, 2, 2},
                {0, 0, 0, 0});
}

}  // namespace
}  // namespace loopglass::ops
