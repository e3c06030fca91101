#include "passes/graph/winograd_error.h"

#include "core/ops/winograd.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace loopglass::passes {

namespace {

using ops::winograd::kernel;
using ops::winograd::Matrix;

constexpr std::int64_t filters_tried = 8, tiles_tried = 8;

// rows x columns, row after row.
template <class T>
struct Grid {
  std::int64_t columns;
  std::vector<T> elements;

  Grid(std::int64_t rows, std::int64_t width)
      : columns(width), elements(static_cast<std::size_t>(rows * width)) {}
  T& operator()(std::int64_t row, std::int64_t column) {
    return elements[static_cast<std::size_t>(row * columns + column)];
  }
  const T& operator()(std::int64_t row, std::int64_t column) const {
    return elements[static_cast<std::size_t>(row * columns + column)];
  }
};

// M g M^T in float32, as a square of as many rows as M has.
Grid<float> transformed(const Matrix& by, const Grid<float>& square) {
  Grid<float> half(by.rows(), by.columns()), result(by.rows(), by.rows());
  for (std::int64_t r = 0; r < by.rows(); ++r)
    for (std::int64_t c = 0; c < by.columns(); ++c)
      for (std::int64_t i = 0; i < by.columns(); ++i)
        half(r, c) += static_cast<float>(by(r, i)) * square(i, c);
  for (std::int64_t r = 0; r < by.rows(); ++r)
    for (std::int64_t c = 0; c < by.rows(); ++c)
      for (std::int64_t i = 0; i < by.columns(); ++i)
        result(r, c) += static_cast<float>(by(c, i)) * half(r, i);
  return result;
}

// The same tile of all channels.
std::vector<Grid<float>> random_tile(std::int64_t channels, std::int64_t window,
                                     std::mt19937& random) {
  std::normal_distribution<float> numbers;
  std::vector<Grid<float>> tile(static_cast<std::size_t>(channels), Grid<float>(window, window));
  for (Grid<float>& channel : tile)
    for (float& element : channel.elements) element = numbers(random);
  return tile;
}

}  // namespace

WinogradError winograd_error(const Tensor& weights, std::int64_t tile) {
  const ops::winograd::Transform by = ops::winograd::transform(tile);
  const std::int64_t filters = std::min(filters_tried, weights.shape()[0]),
                     channels = weights.shape()[1], window = by.window();
  // Of the filters that are tried alone.
  Tensor tried({DataType::Float32, {filters, channels, kernel, kernel}});
  std::copy_n(weights.as<float>().begin(), tried.elements(), tried.as<float>().begin());
  const Tensor small = ops::winograd::transformed_weights(tried, tile);
  const std::span<const float> w = tried.as<float>(), u = small.as<float>();

  std::mt19937 random(1);
  double direct_squares = 0, filtering_squares = 0, squares = 0;
  for (std::int64_t t = 0; t < tiles_tried; ++t) {
    const std::vector<Grid<float>> data = random_tile(channels, window, random);
    std::vector<Grid<float>> v;
    for (const Grid<float>& channel : data) v.push_back(transformed(by.data, channel));
    for (std::int64_t k = 0; k < filters; ++k) {
      Grid<float> products(window, window);
      for (std::int64_t c = 0; c < channels; ++c)
        for (std::int64_t p = 0; p < window * window; ++p)
          products.elements[static_cast<std::size_t>(p)] +=
              v[static_cast<std::size_t>(c)].elements[static_cast<std::size_t>(p)] *
              u[static_cast<std::size_t>((p * channels + c) * filters + k)];
      const Grid<float> results = transformed(by.result, products);
      for (std::int64_t y = 0; y < tile; ++y)
        for (std::int64_t x = 0; x < tile; ++x) {
          double exact = 0;
          float direct = 0;
          for (std::int64_t c = 0; c < channels; ++c)
            for (std::int64_t tap = 0; tap < kernel * kernel; ++tap) {
              const float element =
                  data[static_cast<std::size_t>(c)](y + tap / kernel, x + tap % kernel);
              const float weight =
                  w[static_cast<std::size_t>((k * channels + c) * kernel * kernel + tap)];
              exact += static_cast<double>(element) * weight;
              direct += element * weight;
            }
          squares += exact * exact;
          direct_squares += (direct - exact) * (direct - exact);
          filtering_squares += (results(y, x) - exact) * (results(y, x) - exact);
        }
    }
  }
  if (squares == 0) return {};
  return {std::sqrt(direct_squares / squares), std::sqrt(filtering_squares / squares)};
}

}  // namespace loopglass::passes
