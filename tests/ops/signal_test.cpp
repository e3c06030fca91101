// Fourier transforms and mel filters.
#include "tests/ops/arrays.h"

#include <complex>
#include <numbers>

namespace loopglass::ops {
namespace {

using testing::HasSubstr;

using Complexes = std::vector<std::complex<double>>;

// By the definition, `count` frequencies of the signal as it is.
Complexes transformed(const Complexes& signal, std::size_t count, double sign = -1) {
  Complexes result(count);
  for (std::size_t f = 0; f < count; ++f)
    for (std::size_t k = 0; k < signal.size(); ++k)
      result[f] +=
          signal[k] * std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(f * k) /
                                          static_cast<double>(signal.size()));
  return result;
}

Reals parts(const Complexes& values) {
  Reals result;
  for (const auto& value : values) result.insert(result.end(), {value.real(), value.imag()});
  return result;
}

const Tensor real_signal = f32({1, 5, 1}, {1, 4, -2, 3, 7});
const Complexes as_complex{1, 4, -2, 3, 7};

TEST(Dft, OfARealSignal) {
  expect_tensor(run("DFT", {real_signal}), {1, 5, 2}, parts(transformed(as_complex, 5)));
  expect_tensor(run("DFT", {real_signal}, {{"onesided", one}}), {1, 3, 2},
                parts(transformed(as_complex, 3)));
}

TEST(Dft, CutsOrPadsTheSignal) {
  expect_tensor(run("DFT", {real_signal}, {{"dft_length", std::int64_t{3}}}), {1, 3, 2},
                parts(transformed({1, 4, -2}, 3)));
  expect_tensor(run("DFT", {real_signal}, {{"dft_length", std::int64_t{6}}}), {1, 6, 2},
                parts(transformed({1, 4, -2, 3, 7, 0}, 6)));
}

TEST(Dft, InvertsItself) {
  const Tensor spectrum = run("DFT", {real_signal});
  expect_tensor(run("DFT", {spectrum}, {{"inverse", one}}), {1, 5, 2},
                {1, 0, 4, 0, -2, 0, 3, 0, 7, 0});
}

TEST(Dft, OfComplexSignalsAlongAnyAxis) {
  const Tensor x = f32({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect_tensor(run("DFT", {x}, {{"axis", std::int64_t{0}}}), {2, 2, 2},
                {6, 8, 10, 12, -4, -4, -4, -4});
  EXPECT_THAT(refusal("DFT", {x.type()}, {{"onesided", one}}),
              HasSubstr("onesided of a complex signal"));
  EXPECT_THAT(refusal("DFT", {x.type()}, {{"axis", std::int64_t{-1}}}),
              HasSubstr("real and imaginary"));
}

TEST(Stft, TransformsEachFrame) {
  const Attributes frames{{"frame_step", std::int64_t{2}}, {"frame_length", std::int64_t{3}}};
  Reals expected = parts(transformed({1, 4, -2}, 2)), second = parts(transformed({-2, 3, 7}, 2));
  expected.insert(expected.end(), second.begin(), second.end());
  expect_tensor(run("STFT", {real_signal}, frames), {1, 2, 2, 2}, expected);
  expect_tensor(run("STFT", {f32({1, 5}, {1, 4, -2, 3, 7})}, frames), {1, 2, 2, 2}, expected);
  Reals windowed = parts(transformed({0, 4, -4}, 3)), rest = parts(transformed({0, 3, 14}, 3));
  windowed.insert(windowed.end(), rest.begin(), rest.end());
  expect_tensor(run("STFT", {real_signal, f32({3}, {0, 1, 2})},
                    {{"frame_step", std::int64_t{2}}, {"onesided", std::int64_t{0}}}),
                {1, 2, 3, 2}, windowed);
}

// Each filter climbs from the edge before its peak and falls to the edge after it.
TEST(MelWeightMatrix, IsMadeOfTriangles) {
  const Tensor matrix = run("MelWeightMatrix", {},
                            {{"num_mel_bins", std::int64_t{4}},
                             {"dft_length", std::int64_t{64}},
                             {"sample_rate", std::int64_t{8000}},
                             {"lower_edge_hertz", 0.0},
                             {"upper_edge_hertz", 4000.0}});
  ASSERT_EQ(matrix.shape(), (Shape{33, 4}));
  const Reals weights = elements(matrix);
  for (std::size_t filter = 0; filter < 4; ++filter) {
    std::size_t peak = 0;
    for (std::size_t bin = 0; bin < 33; ++bin)
      if (weights[bin * 4 + filter] > weights[peak * 4 + filter]) peak = bin;
    EXPECT_DOUBLE_EQ(weights[peak * 4 + filter], 1);
    for (std::size_t bin = 1; bin < 33; ++bin) {
      const double step = weights[bin * 4 + filter] - weights[(bin - 1) * 4 + filter];
      EXPECT_TRUE(bin <= peak ? step >= 0 : step <= 0) << "filter " << filter << ", bin " << bin;
    }
  }
}

}  // namespace
}  // namespace loopglass::ops
