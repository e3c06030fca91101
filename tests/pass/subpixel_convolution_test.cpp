// Transposed convolutions without zeros: that they mean the same, and which are left.
#include "core/ops/registry.h"
#include "tests/pass/before_after.h"
#include "tests/random/random_inputs.h"

#include <gmock/gmock.h>

#include <random>

namespace loopglass::test {
namespace {

using Integers = std::vector<std::int64_t>;

struct TransposedCase {
  DataType type = DataType::Float32;
  Shape x, w;
  ops::Attributes attributes;
  bool has_bias = false, are_weights_constant = true;
};

Tensor drawn_weights(DataType type, const Shape& shape, std::mt19937& random) {
  Tensor values({type, shape});
  std::uniform_real_distribution<double> numbers(-1, 1);
  for (std::int64_t i = 0; i < values.elements(); ++i) {
    if (type == DataType::Float64)
      values.as<double>()[static_cast<std::size_t>(i)] = numbers(random);
    else values.as<float>()[static_cast<std::size_t>(i)] = static_cast<float>(numbers(random));
  }
  return values;
}

// Nothing where the attributes leave no output.
std::optional<graph::Graph> network_of(const TransposedCase& drawn, std::mt19937& random) {
  graph::GraphBuilder builder("network");
  std::vector<graph::ValueId> inputs{builder.add_input("x", {drawn.type, drawn.x})};
  if (drawn.are_weights_constant)
    inputs.push_back(builder.add_constant("w", drawn_weights(drawn.type, drawn.w, random)));
  else inputs.push_back(builder.add_input("w", {drawn.type, drawn.w}));
  const std::int64_t filters = drawn.w[1] * drawn.attributes.integer("group");
  if (drawn.has_bias)
    inputs.push_back(builder.add_constant("b", drawn_weights(drawn.type, {filters}, random)));
  const auto node = builder.add_node("up", *ops::find_operator("ConvTranspose"), inputs,
                                     drawn.attributes, 1, {}, {"y"});
  if (!node) return std::nullopt;
  builder.set_outputs({builder.output(*node)});
  return *std::move(builder).finish();
}

class DrawnCase {
 public:
  explicit DrawnCase(std::mt19937& random) : random_(random) {}

  TransposedCase operator()() {
    const std::int64_t groups = between(1, 3), dimensions = between(1, 3);
    TransposedCase drawn{.type = coin() ? DataType::Float32 : DataType::Float64,
                         .x = {between(1, 2), groups * between(1, 3)},
                         .has_bias = coin()};
    drawn.w = {drawn.x[1], between(1, 3)};
    Integers strides, dilations, pads, padding;
    for (std::int64_t axis = 0; axis < dimensions; ++axis) {
      drawn.x.push_back(between(1, dimensions == 1 ? 9 : 4));
      strides.push_back(between(1, dimensions == 3 ? 2 : 4));
      // A kernel that some of its phases do not see is left as it is.
      drawn.w.push_back(between(strides.back(), strides.back() + 3));
      dilations.push_back(strides.back() == 1 ? between(1, 3) : 1);
      padding.push_back(between(0, strides.back() - 1));
      pads.push_back(between(0, 3));
    }
    drawn.attributes = {{"group", groups}, {"strides", strides}, {"dilations", dilations}};
    if (coin()) drawn.attributes.set("output_padding", padding);
    switch (between(0, 3)) {
      case 0:
        drawn.attributes.set("auto_pad", std::string(coin() ? "SAME_UPPER" : "SAME_LOWER"));
        break;
      case 1: drawn.attributes.set("output_shape", wanted(drawn, strides)); break;
      default:
        for (std::int64_t axis = 0; axis < dimensions; ++axis) pads.push_back(between(0, 3));
        drawn.attributes.set("pads", pads);
    }
    return drawn;
  }

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution(least, most)(random_);
  }
  bool coin() { return between(0, 1) == 1; }
  // Also less than x spreads over, and more.
  Integers wanted(const TransposedCase& drawn, const Integers& strides) {
    Integers extents;
    for (std::size_t axis = 0; axis < strides.size(); ++axis)
      extents.push_back(between(1, drawn.x[axis + 2] * strides[axis] + 4));
    return extents;
  }

  std::mt19937& random_;
};

TEST(SubpixelConvolution, MeansTheSameToTheLastBit) {
  std::mt19937 random(1);
  int rewritten = 0;
  for (int trial = 0; trial < 400; ++trial) {
    const auto before = network_of(DrawnCase(random)(), random);
    if (!before) continue;
    SCOPED_TRACE(to_text(*before));
    const auto step = applied("subpixel-convolution", *before);
    ASSERT_TRUE(step.changed);
    EXPECT_THAT(operator_names(*step.result), ::testing::Not(::testing::Contains("ConvTranspose")));
    EXPECT_EQ(step.result->value(step.result->outputs()[0]).name, "y");
    expect_same_meaning(*before, *step.result, 0);
    if (HasFailure()) return;
    ++rewritten;
  }
  EXPECT_GT(rewritten, 200);
}

TEST(SubpixelConvolution, IsOneConvolutionWhereTheStridesDivideTheKernel) {
  std::mt19937 random(2);
  const auto even = network_of({.x = {1, 3, 4, 5},
                                .w = {3, 2, 4, 4},
                                .attributes = {{"group", std::int64_t{1}},
                                               {"strides", Integers{2, 2}},
                                               {"pads", Integers{1, 1, 1, 1}}}},
                               random);
  const auto step = applied("subpixel-convolution", *even);
  EXPECT_THAT(operator_names(*step.result),
              ::testing::ElementsAre("Conv", "Reshape", "Transpose", "Reshape", "Slice", "Slice"));
  ASSERT_EQ(step.remarks.size(), 1u);
  EXPECT_EQ(step.remarks[0].code, "PHASES");
  EXPECT_EQ(step.remarks[0].numbers[0].second, 1);
  EXPECT_EQ(step.remarks[0].numbers[1].second, 4);
  const auto odd =
      network_of({.x = {1, 3, 4, 5},
                  .w = {3, 2, 3, 3},
                  .attributes = {{"group", std::int64_t{1}}, {"strides", Integers{2, 2}}}},
                 random);
  const auto parts = operator_names(*applied("subpixel-convolution", *odd).result);
  EXPECT_EQ(std::ranges::count(parts, "Conv"), 4);
  EXPECT_EQ(std::ranges::count(parts, "Concat"), 3);
}

TEST(SubpixelConvolution, LeavesWhatHasNoPhases) {
  std::mt19937 random(3);
  const auto refused = [&](TransposedCase refused) {
    refused.attributes.set("group", std::int64_t{1});
    const auto before = network_of(refused, random);
    const auto step = applied("subpixel-convolution", *before);
    EXPECT_EQ(to_text(*step.result), to_text(*before));
    return codes(step);
  };
  const TransposedCase plain{
      .x = {1, 2, 4}, .w = {2, 3, 2}, .attributes = {{"strides", Integers{2}}}};
  TransposedCase narrow = plain, dilated = plain, varying = plain;
  narrow.w[2] = 1;
  dilated.attributes.set("dilations", Integers{2});
  varying.are_weights_constant = false;
  EXPECT_THAT(refused(narrow), ::testing::ElementsAre("PHASE_WITHOUT_TAPS"));
  EXPECT_THAT(refused(dilated), ::testing::ElementsAre("DILATIONS"));
  EXPECT_THAT(refused(varying), ::testing::ElementsAre("WEIGHTS_NOT_CONSTANT"));
}

}  // namespace
}  // namespace loopglass::test
