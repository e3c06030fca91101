// Accuracy of the polynomials that stand for functions of float32, in units in the last place of
// the exact result, over the whole range of inputs.
#include "tests/codegen/run_both.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace loopglass {
namespace {

// y = function(x) on 2^16 inputs, so many at a time.
std::vector<float> results_of(const std::string& function, const std::vector<float>& x,
                              int lanes = 16) {
  const std::string at = "[i * " + std::to_string(lanes) + " + l]";
  loop::Func func = parse_func(
      "func f(X: float32[65536] input, Y: float32[65536] output) {"
      "  for i in " +
      std::to_string(65536 / lanes) + " { for l in " + std::to_string(lanes) +
      (lanes > 1 ? " vectorized" : "") + " { Y" + at + " = " + function + "(X" + at + ") } } }");
  Arguments arguments = random_arguments(func);
  std::copy(x.begin(), x.end(), arguments.tensors[0].as<float>().begin());
  std::vector<Tensor> results = run_kernel(*compile_func(func), func, arguments);
  auto y = results[1].as<float>();
  return {y.begin(), y.end()};
}

// 2^16 floats spread evenly over all bit patterns: every exponent, both signs, inf and NaN.
std::vector<float> all_magnitudes() {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 65536; ++i)
    values.push_back(std::bit_cast<float>((i << 16) | (i * 40503u & 0xffff)));
  values[0] = 0.0f;
  values[1] = -0.0f;
  values[2] = std::numeric_limits<float>::infinity();
  values[3] = -std::numeric_limits<float>::infinity();
  values[4] = std::numeric_limits<float>::denorm_min();
  return values;
}
std::vector<float> evenly(float from, float to) {
  std::vector<float> values;
  for (int i = 0; i < 65536; ++i)
    values.push_back(from + (to - from) * static_cast<float>(i) / 65535.0f);
  return values;
}

double units_in_the_last_place(float actual, double exact) {
  auto rounded = static_cast<float>(exact);
  if (std::isnan(exact)) return std::isnan(actual) ? 0 : std::numeric_limits<double>::infinity();
  if (std::isinf(rounded) || std::isinf(actual))
    return actual == rounded ? 0 : std::numeric_limits<double>::infinity();
  double spacing = std::max(
      std::fabs(static_cast<double>(std::nextafter(rounded, INFINITY)) - rounded), 0x1p-149);
  return std::fabs(actual - exact) / spacing;
}

void expect_accurate(const std::string& function, double (*exact)(double),
                     const std::vector<float>& x, double limit) {
  std::vector<float> y = results_of(function, x);
  double worst = 0;
  float where = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double error = units_in_the_last_place(y[i], exact(static_cast<double>(x[i])));
    if (error > worst) worst = error, where = x[i];
  }
  EXPECT_LE(worst, limit) << function << "(" << where << ")";
  testing::Test::RecordProperty(function, std::to_string(worst));
}

// Results that are denormal may lose one more unit: they are rounded twice.
TEST(Math, ExpIsGoodToTwoUnitsInTheLastPlace) {
  expect_accurate("exp", std::exp, all_magnitudes(), 2);
  expect_accurate("exp", std::exp, evenly(-110, 95), 2);
}
TEST(Math, LogIsGoodToTwoUnitsInTheLastPlace) {
  expect_accurate("log", std::log, all_magnitudes(), 2);
  expect_accurate("log", std::log, evenly(0.5f, 2), 2);
}
TEST(Math, TanhIsGoodToTwoUnitsInTheLastPlace) {
  expect_accurate("tanh", std::tanh, all_magnitudes(), 2);
  expect_accurate("tanh", std::tanh, evenly(-10, 10), 2);
  expect_accurate("tanh", std::tanh, evenly(-0.25f, 0.25f), 2);
}
// Beyond some place it is one, and nowhere more.
TEST(Math, TanhEndsAtOne) {
  const std::vector<float> x = evenly(8.6f, 8.7f);
  const std::vector<float> y = results_of("tanh", x);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(y[i] >= 1, x[i] > 0x1.154244p+3f) << "tanh(" << x[i] << ") = " << y[i];
  EXPECT_LE(*std::max_element(y.begin(), y.end()), 1);
  for (const float far : results_of("tanh", evenly(9, 3e38f))) ASSERT_EQ(far, 1);
}
TEST(Math, ErfIsGoodToTwoUnitsInTheLastPlace) {
  expect_accurate("erf", std::erf, all_magnitudes(), 2);
  expect_accurate("erf", std::erf, evenly(-4.5f, 4.5f), 2);
}

TEST(Math, AtanIsGoodToTwoUnitsInTheLastPlace) {
  expect_accurate("atan", std::atan, all_magnitudes(), 2);
  expect_accurate("atan", std::atan, evenly(-3, 3), 2);
}
// Of all magnitudes: also of those that the C library is asked for, beside others in one vector.
TEST(Math, SinAndCosAreGoodToOneUnitInTheLastPlace) {
  for (const auto& x :
       {all_magnitudes(), evenly(-10, 10), evenly(-1e5f, 1e5f), evenly(3e8f, 5e8f)}) {
    expect_accurate("sin", std::sin, x, 1);
    expect_accurate("cos", std::cos, x, 1);
  }
}

TEST(Math, KeepsTheSignOfZero) {
  for (const char* function : {"sin", "atan", "tanh", "erf"}) {
    const std::vector<float> y = results_of(function, {0.0f, -0.0f});
    EXPECT_FALSE(std::signbit(y[0])) << function;
    EXPECT_TRUE(std::signbit(y[1])) << function;
  }
}

// However a schedule makes vectors, and whatever instructions there are for some lengths of them.
TEST(Math, IsTheSameInVectorsOfAnyLength) {
  for (const char* function : {"exp", "tanh", "erf", "atan", "sin", "cos"})
    for (const std::vector<float>& x : {all_magnitudes(), evenly(-110, 95)}) {
      const std::vector<float> one_by_one = results_of(function, x, 1);
      for (const int lanes : {4, 8, 16, 32, 64}) {
        const std::vector<float> y = results_of(function, x, lanes);
        for (std::size_t i = 0; i < x.size(); ++i)
          ASSERT_TRUE(std::bit_cast<std::uint32_t>(y[i]) ==
                          std::bit_cast<std::uint32_t>(one_by_one[i]) ||
                      (std::isnan(y[i]) && std::isnan(one_by_one[i])))
              << function << "(" << x[i] << ") in " << lanes << " lanes: " << y[i] << " and "
              << one_by_one[i];
      }
    }
}

}  // namespace
}  // namespace loopglass
