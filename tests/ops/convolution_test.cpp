// Conv and ConvTranspose against plain loops over their definitions.
#include "tests/ops/arrays.h"

namespace loopglass::ops {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

struct ConvolutionCase {
  std::string name;
  Shape x, w;
  std::int64_t group;
  Integers strides, dilations, pads;  // pads: top, left, bottom, right
  bool bias;
};
void PrintTo(const ConvolutionCase& c, std::ostream* out) { *out << c.name; }

Attributes attributes_of(const ConvolutionCase& c) {
  return {{"group", c.group}, {"strides", c.strides}, {"dilations", c.dilations}, {"pads", c.pads}};
}

float at(const Tensor& t, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  const Shape& s = t.shape();
  return t.as<float>()[static_cast<std::size_t>(((a * s[1] + b) * s[2] + c) * s[3] + d)];
}

// Every product of an input element and a weight, added where it belongs: the definition, in a form
// that shares nothing with the index maps under test.
std::vector<double> scatter_products(const ConvolutionCase& c, const Tensor& x, const Tensor& w,
                                     const Shape& y, bool transposed) {
  std::vector<double> sums(static_cast<std::size_t>(element_count(y)), 0.0);
  const std::int64_t in_channels = x.shape()[1] / c.group, out_channels = y[1] / c.group;
  for (std::int64_t n = 0; n < y[0]; ++n)
    for (std::int64_t g = 0; g < c.group; ++g)
      for (std::int64_t i = 0; i < in_channels; ++i)
        for (std::int64_t o = 0; o < out_channels; ++o)
          for (std::int64_t kh = 0; kh < w.shape()[2]; ++kh)
            for (std::int64_t kw = 0; kw < w.shape()[3]; ++kw)
              for (std::int64_t h = 0; h < x.shape()[2]; ++h)
                for (std::int64_t v = 0; v < x.shape()[3]; ++v) {
                  std::int64_t row, column;
                  if (transposed) {
                    row = h * c.strides[0] + kh * c.dilations[0] - c.pads[0];
                    column = v * c.strides[1] + kw * c.dilations[1] - c.pads[1];
                  } else {
                    row = h + c.pads[0] - kh * c.dilations[0];
                    column = v + c.pads[1] - kw * c.dilations[1];
                    if (row % c.strides[0] != 0 || column % c.strides[1] != 0) continue;
                    row /= c.strides[0];
                    column /= c.strides[1];
                  }
                  if (row < 0 || row >= y[2] || column < 0 || column >= y[3]) continue;
                  const float weight = transposed ? at(w, g * in_channels + i, o, kh, kw)
                                                  : at(w, g * out_channels + o, i, kh, kw);
                  sums[static_cast<std::size_t>(
                      ((n * y[1] + g * out_channels + o) * y[2] + row) * y[3] + column)] +=
                      static_cast<double>(at(x, n, g * in_channels + i, h, v)) * weight;
                }
  return sums;
}

void add_bias(std::vector<double>& sums, const Shape& y, const Tensor& bias) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const auto channel = static_cast<std::int64_t>(i) / (y[2] * y[3]) % y[1];
    sums[i] += bias.double_at(channel);
  }
}

class Convolution : public testing::TestWithParam<ConvolutionCase> {};

TEST_P(Convolution, IsTheSumOfProducts) {
  const ConvolutionCase& c = GetParam();
  const Tensor x = random_floats(c.x, 1), w = random_floats(c.w, 2), b = random_floats({c.w[0]}, 3);
  Shape y{c.x[0], c.w[0]};
  for (std::size_t a = 0; a < 2; ++a)
    y.push_back((c.x[a + 2] + c.pads[a] + c.pads[a + 2] - (c.w[a + 2] - 1) * c.dilations[a] - 1) /
                    c.strides[a] +
                1);
  std::vector<double> expected = scatter_products(c, x, w, y, false);
  if (c.bias) add_bias(expected, y, b);
  expect_tensor(run("Conv", {x, w, c.bias ? b : Tensor()}, attributes_of(c)), y, expected);
}

INSTANTIATE_TEST_SUITE_P(
    Conv, Convolution,
    testing::Values(
        ConvolutionCase{
            "plain", {2, 3, 6, 5}, {4, 3, 3, 2}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, false},
        ConvolutionCase{"bias", {1, 3, 5, 5}, {2, 3, 3, 3}, 1, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
        ConvolutionCase{
            "lopsided_pads", {1, 2, 5, 4}, {3, 2, 3, 3}, 1, {2, 1}, {1, 1}, {2, 0, 1, 3}, true},
        ConvolutionCase{
            "dilated", {1, 2, 9, 9}, {2, 2, 3, 3}, 1, {2, 1}, {2, 3}, {1, 2, 1, 2}, false},
        ConvolutionCase{
            "grouped", {2, 6, 5, 5}, {4, 3, 3, 3}, 2, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
        ConvolutionCase{
            "depthwise", {2, 4, 5, 5}, {4, 1, 3, 3}, 4, {1, 1}, {1, 1}, {1, 1, 1, 1}, true},
        ConvolutionCase{
            "depthwise_twice", {1, 3, 5, 5}, {6, 1, 3, 3}, 3, {2, 2}, {1, 1}, {0, 0, 0, 0}, false},
        ConvolutionCase{"one_by_one_stride",
                        {1, 4, 6, 6},
                        {3, 4, 1, 1},
                        1,
                        {2, 2},
                        {1, 1},
                        {0, 0, 0, 0},
                        true}),
    [](const auto& info) { return info.param.name; });

class TransposedConvolution : public testing::TestWithParam<ConvolutionCase> {};

TEST_P(TransposedConvolution, SpreadsEachElement) {
  const ConvolutionCase& c = GetParam();
  const std::int64_t filters = c.w[1] * c.group;
  const Tensor x = random_floats(c.x, 4), w = random_floats(c.w, 5),
               b = random_floats({filters}, 6);
  Shape y{c.x[0], filters};
  for (std::size_t a = 0; a < 2; ++a)
    y.push_back((c.x[a + 2] - 1) * c.strides[a] + (c.w[a + 2] - 1) * c.dilations[a] + 1 -
                c.pads[a] - c.pads[a + 2]);
  std::vector<double> expected = scatter_products(c, x, w, y, true);
  if (c.bias) add_bias(expected, y, b);
  expect_tensor(run("ConvTranspose", {x, w, c.bias ? b : Tensor()}, attributes_of(c)), y, expected);
}

INSTANTIATE_TEST_SUITE_P(
    ConvTranspose, TransposedConvolution,
    testing::Values(
        ConvolutionCase{
            "plain", {2, 3, 4, 3}, {3, 2, 3, 2}, 1, {1, 1}, {1, 1}, {0, 0, 0, 0}, false},
        ConvolutionCase{
            "strided", {1, 2, 3, 3}, {2, 3, 3, 3}, 1, {2, 3}, {1, 1}, {1, 0, 0, 1}, true},
        ConvolutionCase{
            "dilated", {1, 2, 3, 3}, {2, 1, 2, 2}, 1, {1, 2}, {2, 3}, {0, 1, 1, 0}, false},
        ConvolutionCase{
            "grouped", {1, 4, 3, 3}, {4, 3, 2, 2}, 2, {2, 1}, {1, 1}, {0, 0, 0, 0}, true},
        ConvolutionCase{
            "depthwise", {1, 3, 3, 3}, {3, 1, 2, 2}, 3, {2, 2}, {1, 1}, {0, 0, 0, 0}, false}),
    [](const auto& info) { return info.param.name; });

TEST(Conv, OneAndThreeDimensions) {
  expect_tensor(run("Conv", {f32({1, 1, 3}, {1, 2, 3}), f32({1, 1, 3}, {1, 10, 100})},
                    {{"pads", Integers{1, 1}}}),
                {1, 1, 3}, {210, 321, 32});
  const Tensor sum =
      run("Conv", {counting({1, 1, 2, 2, 2}), f32({1, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1})});
  expect_tensor(sum, {1, 1, 1, 1, 1}, {28});
}

TEST(Conv, SameUpperAndLowerPutTheOddPadAtEitherEnd) {
  const Tensor x = f32({1, 1, 4}, {1, 2, 3, 4}), w = f32({1, 1, 2}, {1, 10});
  expect_tensor(run("Conv", {x, w}, {{"auto_pad", "SAME_UPPER"}}), {1, 1, 4}, {21, 32, 43, 4});
  expect_tensor(run("Conv", {x, w}, {{"auto_pad", "SAME_LOWER"}}), {1, 1, 4}, {10, 21, 32, 43});
  expect_tensor(run("Conv", {x, w}, {{"auto_pad", "SAME_UPPER"}, {"strides", Integers{2}}}),
                {1, 1, 2}, {21, 43});
  expect_tensor(run("Conv", {x, w}, {{"auto_pad", "VALID"}}), {1, 1, 3}, {21, 32, 43});
}

// In float16 a sum of ones sticks at 2,048, and 4,098 rounds to 4,096; carried in float32 up to the
// bias and rounded once, it is exact.
TEST(Conv, Float16IsSummedInFloat32) {
  const Tensor ones = to_half(Tensor::of<float>({1, 1, 4098}, std::vector<float>(4098, 1.0f)));
  expect_tensor(run("Conv", {ones, ones, Tensor::of<Float16>({1}, {Float16(2)})}), {1, 1, 1},
                {4100}, 0);
  EXPECT_EQ(run("Conv", {ones, ones}).data_type(), DataType::Float16);
}

TEST(Conv, PaddingIsItsOwnStageAndOnlyWhereThereIsSome) {
  const TensorType x{DataType::Float32, {1, 3, 8, 8}}, w{DataType::Float32, {4, 3, 3, 3}},
      b{DataType::Float32, {4}};
  const auto stages = [&](Attributes attributes, std::vector<const TensorType*> inputs) {
    const OpDef& conv = *find_operator("Conv");
    const auto outputs = infer(conv, inputs, attributes, 1);
    std::vector<std::string> names;
    const auto program = program_of(conv, inputs, attributes, *outputs);
    for (const te::Stage& stage : program->stages) names.push_back(stage.output.name);
    return names;
  };
  EXPECT_THAT(stages({}, {&x, &w}), ElementsAre("Y"));
  EXPECT_THAT(stages({}, {&x, &w, &b}), ElementsAre("Y_conv", "Y"));
  EXPECT_THAT(stages({{"pads", Integers{1, 1, 1, 1}}}, {&x, &w, &b}),
              ElementsAre("Y_pad", "Y_conv", "Y"));
}

TEST(Conv, RefusesWhatDoesNotFit) {
  const TensorType x{DataType::Float32, {1, 4, 5, 5}}, w{DataType::Float32, {2, 4, 3, 3}};
  const auto refused = [&](Attributes attributes) {
    return refusal("Conv", {x, w}, std::move(attributes));
  };
  const auto float32 = [](Shape shape) { return TensorType{DataType::Float32, std::move(shape)}; };
  EXPECT_EQ(refusal("Conv", {x, float32({2, 3, 3, 3})}),
            "LG2004: Conv: 4 channels in 1 groups with weights float32[2x3x3x3]");
  EXPECT_EQ(refused({{"group", std::int64_t{3}}}),
            "LG2004: Conv: 4 channels in 3 groups with weights float32[2x4x3x3]");
  EXPECT_EQ(refusal("Conv", {x, w, float32({3})}), "LG2004: Conv: bias float32[3] for 2 filters");
  EXPECT_EQ(refusal("Conv", {float32({1, 4, 2, 2}), w}),
            "LG2004: Conv: a kernel that reaches over 3 elements does not fit an input of 2 padded "
            "by 0 and 0");
  EXPECT_EQ(refused({{"strides", Integers{0, 1}}}),
            "LG2004: Conv: 0 is out of range for 'strides'");
  EXPECT_EQ(refused({{"pads", Integers{1, 1}}}),
            "LG2004: Conv: 'pads' has 2 entries where 4 are wanted");
  EXPECT_EQ(refused({{"kernel_shape", Integers{2, 2}}}),
            "LG2004: Conv: kernel_shape differs from the weights' [2, 4, 3, 3]");
  EXPECT_EQ(refused({{"auto_pad", "VALID"}, {"pads", Integers{1, 1, 1, 1}}}),
            "LG2004: Conv: 'pads' and auto_pad 'VALID' exclude one another");
  EXPECT_THAT(refused({{"auto_pad", "SAME"}}),
              StartsWith("LG2002: Conv: attribute 'auto_pad' is 'SAME'"));
  EXPECT_THAT(refused({{"pads", Integers(4, 1 << 24)}}),
              StartsWith("LG1003: Conv: the padded input would be"));
  EXPECT_THAT(refusal("Conv", {{DataType::Int32, {1, 4, 5, 5}}, {DataType::Int32, {2, 4, 3, 3}}}),
              StartsWith("LG2003"));
}

TEST(ConvTranspose, OutputPaddingAndOutputShape) {
  const Tensor x = f32({1, 1, 2}, {1, 2}), w = f32({1, 1, 3}, {1, 10, 100});
  expect_tensor(run("ConvTranspose", {x, w}, {{"strides", Integers{2}}}), {1, 1, 5},
                {1, 10, 102, 20, 200});
  expect_tensor(
      run("ConvTranspose", {x, w}, {{"strides", Integers{2}}, {"output_padding", Integers{1}}}),
      {1, 1, 6}, {1, 10, 102, 20, 200, 0});
  // One element too many: the end loses it under SAME_UPPER, the beginning otherwise.
  expect_tensor(
      run("ConvTranspose", {x, w}, {{"strides", Integers{2}}, {"output_shape", Integers{4}}}),
      {1, 1, 4}, {10, 102, 20, 200});
  expect_tensor(
      run("ConvTranspose", {x, w}, {{"strides", Integers{2}}, {"auto_pad", "SAME_UPPER"}}),
      {1, 1, 4}, {1, 10, 102, 20});
  expect_tensor(
      run("ConvTranspose", {x, w}, {{"strides", Integers{2}}, {"auto_pad", "SAME_LOWER"}}),
      {1, 1, 4}, {10, 102, 20, 200});
  expect_tensor(
      run("ConvTranspose", {x, w}, {{"strides", Integers{2}}, {"output_shape", Integers{7}}}),
      {1, 1, 7}, {1, 10, 102, 20, 200, 0, 0});
  // Strides beyond the kernel leave nothing to pad.
  expect_tensor(run("ConvTranspose", {f32({1, 1, 3}, {1, 2, 3}), f32({1, 1, 1}, {1})},
                    {{"strides", Integers{3}}, {"auto_pad", "SAME_UPPER"}}),
                {1, 1, 7}, {1, 0, 0, 2, 0, 0, 3});
}

}  // namespace
}  // namespace loopglass::ops
