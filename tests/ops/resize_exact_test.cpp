// Resize against the standard's text in exact arithmetic: every coordinate rule, every mode and
// every rounding over small extents, by sizes and by scales. What a scale or a region means is what
// its float32 stands for.
#include "tests/ops/arrays.h"

#include <fmt/format.h>

namespace loopglass::ops {
namespace {

using Whole = __int128;

Whole common_divisor(Whole a, Whole b) {
  return b == 0 ? (a < 0 ? -a : a) : common_divisor(b, a % b);
}

// A fraction in lowest terms, over a positive number.
struct Position {
  Whole over, under = 1;

  static Position reduced(Whole over, Whole under) {
    const Whole divisor = common_divisor(over, under) * (under < 0 ? -1 : 1);
    return {over / divisor, under / divisor};
  }
  friend Position operator+(Position a, Position b) {
    const Whole shared = common_divisor(a.under, b.under);
    return reduced(a.over * (b.under / shared) + b.over * (a.under / shared),
                   a.under / shared * b.under);
  }
  friend Position operator*(Position a, Position b) {
    return reduced(a.over * b.over, a.under * b.under);
  }
  friend Position operator-(Position a, Position b) { return a + Position{-b.over, b.under}; }
  friend Position operator/(Position a, Position b) { return a * reduced(b.under, b.over); }
  friend bool operator<(Position a, Position b) { return (a - b).over < 0; }
  double value() const { return static_cast<double>(over) / static_cast<double>(under); }
};

constexpr Position half{1, 2};

// The fraction that a float32 is.
Position exactly(float value) {
  Whole under = 1;
  for (; value != std::floor(value); value *= 2) under *= 2;
  return {static_cast<Whole>(value), under};
}

struct Rule {
  std::string name;
  float start = 0, end = 1;  // the region, where the rule has one
};

const std::vector<Rule> rules{{"half_pixel"},
                              {"half_pixel_symmetric"},
                              {"pytorch_half_pixel"},
                              {"align_corners"},
                              {"asymmetric"},
                              {"tf_half_pixel_for_nn"},
                              {"tf_crop_and_resize", 0, 1},
                              {"tf_crop_and_resize", 0.25f, 0.7f},
                              {"tf_crop_and_resize", -0.5f, 1.25f},
                              {"tf_crop_and_resize", 1, 0},
                              {"tf_crop_and_resize", 0.5f, 0.5f}};

struct Axis {
  std::int64_t input, output;
  Position scale;
  Attributes attributes;

  std::string words() const { return fmt::format("{} to {} by {}", input, output, scale.value()); }
};

// Axis 0 of 1 to 9 elements to 0 to 9, and by scales of which some are no fractions in binary.
std::vector<Axis> axes() {
  std::vector<Axis> all;
  for (std::int64_t input = 1; input <= 9; ++input) {
    for (std::int64_t output = 0; output <= 9; ++output)
      all.push_back({input, output, {output, input}, {{"sizes", Integers{output}}}});
    for (const float scale : {0.1f, 0.5f, 0.6f, 0.75f, 1.f, 1.25f, 4 / 3.f, 2.f, 7 / 3.f, 2.5f}) {
      const auto output = static_cast<std::int64_t>(std::floor(static_cast<float>(input) * scale));
      all.push_back({input, output, exactly(scale), {{"scales", Reals{scale}}}});
    }
  }
  return all;
}

// The text's formulas, one by one.
Position position(const Axis& axis, const Rule& rule, std::int64_t index) {
  const Position x{index}, last{axis.input - 1}, length = axis.scale * Position{axis.input},
                                                 start = exactly(rule.start),
                                                 end = exactly(rule.end);
  if (rule.name == "asymmetric") return x / axis.scale;
  if (rule.name == "tf_half_pixel_for_nn") return (x + half) / axis.scale;
  if (rule.name == "align_corners")
    return axis.output == 1 ? Position{0} : x * last / (length - Position{1});
  if (rule.name == "tf_crop_and_resize")
    return axis.output == 1 ? half * (start + end) * last
                            : start * last + x * (end - start) * last / (length - Position{1});
  if (rule.name == "pytorch_half_pixel" && axis.output == 1) return {0};
  if (rule.name == "half_pixel_symmetric") {
    const Position adjustment = Position{axis.output} / length,
                   offset = Position{axis.input} * half * (Position{1} - adjustment);
    return offset + (x + half) / axis.scale - half;
  }
  return (x + half) / axis.scale - half;
}

bool is_outside(const Axis& axis, const Rule& rule, Position at) {
  return rule.name == "tf_crop_and_resize" && (at < Position{0} || Position{axis.input - 1} < at);
}

// Looked for among all elements, and some beyond either end.
std::int64_t nearest(const Axis& axis, Position at, const std::string& mode) {
  const auto distance = [&](std::int64_t k) {
    const Position d = at - Position{k};
    return d < Position{0} ? Position{0} - d : d;
  };
  std::int64_t found = -100;
  for (std::int64_t k = -99; k < 100; ++k) {
    if (mode == "floor" && !(at < Position{k})) found = k;
    if (mode == "ceil" && Position{found} < at) found = k;
    if (mode == "round_prefer_floor" && distance(k) < distance(found)) found = k;
    if (mode == "round_prefer_ceil" && !(distance(found) < distance(k))) found = k;
  }
  return std::clamp<std::int64_t>(found, 0, axis.input - 1);
}

Attributes attributes_of(const Axis& axis, const Rule& rule, const std::string& mode) {
  Attributes attributes = axis.attributes;
  attributes.set("mode", mode);
  attributes.set("coordinate_transformation_mode", rule.name);
  attributes.set("axes", Integers{0});
  attributes.set("extrapolation_value", -7.0);
  if (rule.name == "tf_crop_and_resize") attributes.set("roi", Reals{rule.start, rule.end});
  return attributes;
}

TEST(ResizeExactly, NearestIsTheElementThatTheTextNames) {
  for (const Axis& axis : axes())
    for (const Rule& rule : rules)
      for (const char* mode : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
        SCOPED_TRACE(
            fmt::format("{}, {} {} {}, {}", axis.words(), rule.name, rule.start, rule.end, mode));
        Reals expected;
        for (std::int64_t x = 0; x < axis.output; ++x) {
          const Position at = position(axis, rule, x);
          expected.push_back(
              is_outside(axis, rule, at) ? -7.0 : static_cast<double>(nearest(axis, at, mode)));
        }
        Attributes attributes = attributes_of(axis, rule, "nearest");
        attributes.set("nearest_mode", mode);
        const Tensor y = run("Resize", {counting({axis.input})}, attributes);
        ASSERT_EQ(y.shape(), Shape{axis.output});
        ASSERT_EQ(elements(y), expected);
      }
}

// The weights that an output element gives to the input's: what it makes of a unit matrix.
using TapWeights = std::vector<double>;

TapWeights linear_weights(const Axis& axis, Position at) {
  if (at < Position{0}) at = {0};
  if (Position{axis.input - 1} < at) at = {axis.input - 1};
  TapWeights weights(static_cast<std::size_t>(axis.input));
  for (std::int64_t k = 0; k < axis.input; ++k)
    weights[static_cast<std::size_t>(k)] = std::max(0.0, 1 - std::abs((at - Position{k}).value()));
  return weights;
}

// Keys' kernel, by the distance from a sample.
double keys(double distance, double a) {
  const double d = std::abs(distance);
  if (d <= 1) return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

TapWeights cubic_weights(const Axis& axis, Position at, double a, bool exclude_outside) {
  TapWeights weights(static_cast<std::size_t>(axis.input));
  double total = 0;
  for (std::int64_t k = -99; k < 100; ++k) {
    const std::int64_t element = std::clamp<std::int64_t>(k, 0, axis.input - 1);
    if (exclude_outside && element != k) continue;
    const double weight = keys((at - Position{k}).value(), a);
    weights[static_cast<std::size_t>(element)] += weight;
    total += weight;
  }
  for (double& weight : weights) weight /= total;
  return weights;
}

Tensor unit_matrix(std::int64_t extent) {
  Tensor matrix({DataType::Float64, {extent, extent}});
  for (std::int64_t k = 0; k < extent; ++k)
    matrix.as<double>()[static_cast<std::size_t>(k * extent + k)] = 1;
  return matrix;
}

void expect_weights(const Axis& axis, const Rule& rule, const Attributes& attributes,
                    const std::function<TapWeights(Position)>& weights) {
  SCOPED_TRACE(fmt::format("{}, {} {} {}", axis.words(), rule.name, rule.start, rule.end));
  Reals expected;
  for (std::int64_t x = 0; x < axis.output; ++x) {
    const Position at = position(axis, rule, x);
    TapWeights row = weights(at);
    if (is_outside(axis, rule, at)) row.assign(row.size(), -7);
    expected.insert(expected.end(), row.begin(), row.end());
  }
  expect_tensor(run("Resize", {unit_matrix(axis.input)}, attributes), {axis.output, axis.input},
                expected, 1e-12);
}

TEST(ResizeExactly, LinearWeighsTheTwoElementsAround) {
  for (const Axis& axis : axes())
    for (const Rule& rule : rules) {
      expect_weights(axis, rule, attributes_of(axis, rule, "linear"),
                     [&](Position at) { return linear_weights(axis, at); });
      if (HasFailure()) return;
    }
}

TEST(ResizeExactly, CubicWeighsTheFourElementsAround) {
  for (const Axis& axis : axes())
    for (const Rule& rule : rules)
      for (const bool exclude_outside : {false, true}) {
        // Beyond two elements from the input there is nothing to exclude the outside from.
        if (exclude_outside && rule.start != 0) continue;
        Attributes attributes = attributes_of(axis, rule, "cubic");
        attributes.set("exclude_outside", std::int64_t{exclude_outside});
        attributes.set("cubic_coeff_a", -0.5);
        expect_weights(axis, rule, attributes,
                       [&](Position at) { return cubic_weights(axis, at, -0.5, exclude_outside); });
        if (HasFailure()) return;
      }
}

// 4 * 7 / 8 lies half way between 3 and 4, which 4 / float32(8 / 7) does not.
TEST(ResizeExactly, TiesAreTies) {
  const auto nearest_of = [](std::int64_t input, std::int64_t output, const std::string& mode) {
    return elements(run("Resize", {counting({input})},
                        {{"sizes", Integers{output}},
                         {"coordinate_transformation_mode", "asymmetric"},
                         {"nearest_mode", mode}}));
  };
  EXPECT_EQ(nearest_of(7, 8, "round_prefer_ceil")[4], 4);
  EXPECT_EQ(nearest_of(7, 8, "round_prefer_floor")[4], 3);
  EXPECT_EQ(nearest_of(14, 4, "round_prefer_ceil"), (Reals{0, 4, 7, 11}));
  EXPECT_EQ(nearest_of(14, 4, "round_prefer_floor"), (Reals{0, 3, 7, 10}));
}

// Too long to look at each element while compiling.
TEST(ResizeExactly, LongAxes) {
  constexpr std::int64_t output = 70'001;
  const Axis axis{3, output, {output, 3}, {{"sizes", Integers{output}}}};
  for (const Rule& rule : rules) {
    if (rule.name == "tf_crop_and_resize" && rule.start > rule.end) continue;
    const Reals values =
        elements(run("Resize", {counting({3})}, attributes_of(axis, rule, "nearest")));
    for (const std::int64_t x : Integers{0, 1, 11666, 11667, 35000, 35001, 58334, output - 1}) {
      const Position at = position(axis, rule, x);
      EXPECT_EQ(values[static_cast<std::size_t>(x)],
                is_outside(axis, rule, at)
                    ? -7.0
                    : static_cast<double>(nearest(axis, at, "round_prefer_floor")))
          << rule.name << " at " << x;
    }
  }
}

// Numerators that need more than 64 bits: what is read is exact all the same.
TEST(ResizeExactly, FineRegions) {
  const Axis axis{9, 9, {1}, {{"scales", Reals{1}}}};
  const Rule fine{"tf_crop_and_resize", 1e-12f, 0.7f};
  const auto inside = [&](std::int64_t x) { return position(axis, fine, x); };
  Reals expected;
  for (std::int64_t x = 0; x < 9; ++x)
    expected.push_back(static_cast<double>(nearest(axis, inside(x), "floor")));
  Attributes attributes = attributes_of(axis, fine, "nearest");
  attributes.set("nearest_mode", "floor");
  EXPECT_EQ(elements(run("Resize", {counting({9})}, attributes)), expected);
  expect_weights(axis, fine, attributes_of(axis, fine, "linear"),
                 [&](Position at) { return linear_weights(axis, at); });
  EXPECT_THAT(refusal("Resize", {{DataType::Float32, {9}}},
                      attributes_of(axis, {"tf_crop_and_resize", 1e-30f, 1e30f}, "nearest")),
              testing::HasSubstr("too fine or too far out"));
}

}  // namespace
}  // namespace loopglass::ops
