// Minimal filtering computes convolutions: its matrices exactly, its operators in every layout.
#include "core/ops/winograd.h"

#include "core/tensor/layout.h"
#include "tests/ops/arrays.h"

#include <cmath>
#include <random>

namespace loopglass::ops {
namespace {

using testing::HasSubstr;
using winograd::Matrix;

std::vector<double> times(const Matrix& matrix, const std::vector<double>& column) {
  std::vector<double> result;
  for (std::int64_t r = 0; r < matrix.rows(); ++r) {
    double sum = 0;
    for (std::int64_t c = 0; c < matrix.columns(); ++c)
      sum += matrix(r, c) * column[static_cast<std::size_t>(c)];
    result.push_back(sum);
  }
  return result;
}

class Winograd : public testing::TestWithParam<std::int64_t> {};
INSTANTIATE_TEST_SUITE_P(Tiles, Winograd, testing::ValuesIn(winograd::tiles));

// Along one axis, on whole numbers, which a double has room for: A^T ((G w) * (B^T d)) is what
// sliding w over d gives.
TEST_P(Winograd, FiltersLinesExactly) {
  const winograd::Transform by = winograd::transform(GetParam());
  std::mt19937 random(7);
  std::uniform_int_distribution<int> numbers(-50, 50);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> data, taps;
    for (std::int64_t i = 0; i < by.window(); ++i) data.push_back(numbers(random));
    // Multiples of 24, which all of G divides.
    for (std::int64_t i = 0; i < winograd::kernel; ++i) taps.push_back(24 * numbers(random));
    std::vector<double> products = times(by.data, data);
    const std::vector<double> weights = times(by.weights, taps);
    for (std::size_t i = 0; i < products.size(); ++i) products[i] *= weights[i];
    const std::vector<double> results = times(by.result, products);
    ASSERT_EQ(results.size(), static_cast<std::size_t>(by.tile));
    for (std::size_t y = 0; y < results.size(); ++y)
      EXPECT_EQ(results[y], data[y] * taps[0] + data[y + 1] * taps[1] + data[y + 2] * taps[2]);
  }
}

struct Image {
  Shape shape;
  std::int64_t filters;
  Integers pads;
};

Tensor in_doubles(const Tensor& x) { return run("Cast", {x}, {{"to", "float64"}}); }

// Whole numbers up to 8, times a factor.
Tensor whole_numbers(Shape shape, float factor, unsigned seed) {
  Tensor tensor = random_floats(std::move(shape), seed);
  for (float& each : tensor.as<float>()) each = std::round(each * 8) * factor;
  return tensor;
}

Tensor filtered(const Tensor& x, const Tensor& w, const Tensor& bias, const Integers& pads,
                std::int64_t tile, const std::string& in, const std::string& out) {
  const std::int64_t height = x.shape()[2] + pads[0] + pads[2] - 2,
                     width = x.shape()[3] + pads[1] + pads[3] - 2;
  const Operation input = winograd_input(tile, pads, Layout::of(in)),
                  output = winograd_output(tile, height, width, Layout::of(out));
  const Tensor image = in == "NCHW" ? x : *Layout::of(in).arranged(x);
  const Tensor tiles = run(input.op->name, {image}, input.attributes);
  const Tensor products =
      run("MatMul", {tiles, in_doubles(winograd::transformed_weights(w, tile))});
  const Tensor result = run(output.op->name, {products, bias}, output.attributes);
  return out == "NCHW" ? result : *Layout::of(out).restored(result);
}

// To the bit, on whole numbers: images that tiles fill and that they stand out of, pads of all
// sides, in every layout.
TEST_P(Winograd, ComputesWhatTheConvolutionComputes) {
  for (const Image& image :
       {Image{{1, 8, 8, 8}, 8, {1, 1, 1, 1}}, Image{{2, 8, 7, 10}, 16, {1, 1, 1, 1}},
        Image{{1, 16, 3, 3}, 8, {0, 0, 0, 0}}, Image{{1, 8, 5, 6}, 8, {0, 2, 1, 0}},
        Image{{3, 8, 1, 9}, 8, {1, 0, 1, 3}}}) {
    // Weights are multiples of 24 along either axis, which all of G divides.
    const Tensor x = in_doubles(whole_numbers(image.shape, 1, 1)),
                 w = whole_numbers({image.filters, image.shape[1], 3, 3}, 24 * 24, 2),
                 bias = in_doubles(whole_numbers({image.filters}, 1, 3));
    const Tensor expected = run("Conv", {x, in_doubles(w), bias}, {{"pads", image.pads}});
    for (const std::string in : {"NCHW", "NHWC", "NCHW8c"})
      for (const std::string out : {"NCHW", "NHWC", "NCHW8c"})
        EXPECT_TRUE(filtered(x, w, bias, image.pads, GetParam(), in, out).same_content(expected))
            << in << " to " << out << ", " << to_string(x.type());
  }
}

TEST(WinogradOperators, RefuseWhatDoesNotFit) {
  const TensorType image{DataType::Float32, {1, 8, 8, 8}},
      products{DataType::Float32, {6, 6, 1, 2, 2, 8}};
  EXPECT_THAT(refusal("WinogradInput", {image}, {{"tile", std::int64_t{3}}}),
              HasSubstr("tiles of 3; there are 2 and 4"));
  EXPECT_THAT(
      refusal("WinogradInput", {{DataType::Float32, {1, 8, 2, 8}}}, {{"tile", std::int64_t{2}}}),
      HasSubstr("a kernel of 3 on an extent of 2"));
  EXPECT_THAT(
      refusal("WinogradInput", {{DataType::Int32, {1, 8, 8, 8}}}, {{"tile", std::int64_t{2}}}),
      HasSubstr("int32"));
  const auto output = [&](std::int64_t tile, Integers size) {
    return refusal("WinogradOutput", {products}, {{"tile", tile}, {"size", std::move(size)}});
  };
  EXPECT_THAT(output(2, {4, 4}), HasSubstr("is no product of tiles of 2"));
  EXPECT_THAT(output(4, {9, 8}), HasSubstr("9 results of 2 tiles of 4"));
  EXPECT_THAT(output(4, {4, 8}), HasSubstr("4 results of 2 tiles of 4"));
  EXPECT_THAT(output(4, {8}), HasSubstr("height and width"));
}

}  // namespace
}  // namespace loopglass::ops
