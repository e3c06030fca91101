// What scales and shifts several times over does it once.
#include "core/ops/registry.h"
#include "tests/pass/before_after.h"

#include <fmt/format.h>
#include <random>

namespace loopglass::test {
namespace {

class MergeScales : public ::testing::TestWithParam<Situation> {};
TEST_P(MergeScales, KeepsTheMeaning) { check(GetParam()); }

constexpr const char* merge = "merge-scales";

// gamma / sqrt(variance) is 2 and 3, the offsets are 1 - 1 * 2 and 2 - 2 * 3.
const std::string pair_normalised = R"(
  const %gamma: float32[2] = [4, 9]
  const %beta: float32[2] = [1, 2]
  const %mean: float32[2] = [1, 2]
  const %variance: float32[2] = [4, 9]
  input %x: float32[1x2x2x2]
  %n: float32[1x2x2x2] = BatchNormalization(%x, %gamma, %beta, %mean, %variance) {epsilon = 0} "bn" from 0)";

INSTANTIATE_TEST_SUITE_P(
    All, MergeScales,
    ::testing::Values(Situation{"A batch normalisation by itself is a product and a sum.", merge,
                                pair_normalised + R"(
  output %n)",
                                R"(
  input %x: float32[1x2x2x2]
  const %bn_factor: float32[2x1x1] = [2, 3]
  const %bn_offset: float32[2x1x1] = [-1, -4]
  %bn_1: float32[1x2x2x2] = Mul(%x, %bn_factor) "bn_1" from 0
  %n: float32[1x2x2x2] = Add(%bn_1, %bn_offset) "bn" from 0
  output %n)"},
                      Situation{"So are all that stand in a row.", merge, pair_normalised + R"(
  const %ten: float32[] = [10]
  const %half: float32[1x1x1x1] = [0.5]
  %m: float32[1x2x2x2] = Mul(%ten, %n) "m" from 1
  %y: float32[1x2x2x2] = Sub(%m, %half) "y" from 2
  output %y)",
                                R"(
  input %x: float32[1x2x2x2]
  const %y_factor: float32[2x1x1] = [20, 30]
  const %y_offset: float32[2x1x1] = [-10.5, -40.5]
  %y_1: float32[1x2x2x2] = Mul(%x, %y_factor) "y_1" from 0, 1, 2
  %y: float32[1x2x2x2] = Add(%y_1, %y_offset) "y" from 0, 1, 2
  output %y)"},
                      Situation{"Products alone become one, of no more numbers than there are.",
                                merge, R"(
  input %x: float32[2x3]
  const %two: float32[] = [2]
  const %four: float32[1] = [4]
  %a: float32[2x3] = Mul(%x, %two) "a"
  %y: float32[2x3] = Div(%a, %four) "y"
  output %y)",
                                R"(
  input %x: float32[2x3]
  const %y_factor: float32[] = [0.5]
  %y: float32[2x3] = Mul(%x, %y_factor) "y"
  output %y)"},
                      Situation{"A product and a sum are as few as there can be.", merge, R"(
  input %x: float32[2x3]
  const %two: float32[] = [2]
  const %four: float32[3] = [4, 5, 6]
  %a: float32[2x3] = Mul(%x, %two) "a"
  %y: float32[2x3] = Add(%a, %four) "y"
  output %y)"},
                      Situation{"What is needed in between ends a row.", merge, R"(
  input %x: float32[2x3]
  const %two: float32[] = [2]
  const %four: float32[] = [4]
  %a: float32[2x3] = Mul(%x, %two) "a"
  %y: float32[2x3] = Mul(%a, %four) "y"
  output %a
  output %y)"},
                      Situation{"Numbers along different axes do not meet.", merge, R"(
  input %x: float32[2x3]
  const %f: float32[3] = [1, 2, 3]
  const %g: float32[2x1] = [4, 5]
  %a: float32[2x3] = Mul(%x, %f) "a"
  %y: float32[2x3] = Mul(%a, %g) "y"
  output %y)"},
                      Situation{"What would be beyond the type stays.",
                                merge,
                                R"(
  input %x: float16[2]
  const %f: float16[] = [60000]
  const %g: float16[] = [2]
  %a: float16[2] = Mul(%x, %f) "a"
  %y: float16[2] = Mul(%a, %g) "y"
  output %y)",
                                nullptr,
                                {"NOT_FINITE"}},
                      Situation{"So does what would vanish.",
                                merge,
                                R"(
  input %x: float32[2]
  const %f: float32[] = [1e-30]
  %a: float32[2] = Mul(%x, %f) "a"
  %y: float32[2] = Mul(%a, %f) "y"
  output %y)",
                                nullptr,
                                {"UNDERFLOW"}}));

TEST(MergeScalesAtRandom, KeepsTheMeaning) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return random() % n; };
    graph::GraphBuilder builder("network");
    graph::ValueId value = builder.add_input("x", {DataType::Float32, {2, 3, 4}});
    std::vector<graph::ValueId> outputs;
    for (unsigned k = 0, steps = 1 + below(6); k < steps; ++k) {
      const std::string name = fmt::format("s{}", k);
      const Shape shapes[] = {{}, {1}, {3, 1}, {1, 3, 1}, {4}, {2, 1, 1}};
      Tensor constant(TensorType{DataType::Float32, shapes[below(6)]});
      for (float& each : constant.as<float>())
        each = (below(2) == 0 ? 1.0F : -1.0F) * static_cast<float>(1 + below(8)) / 4;
      const char* ops[] = {"Mul", "Add", "Sub", "Div"};
      const unsigned op = below(4);
      std::vector<graph::ValueId> inputs{value, builder.add_constant(name + "_c", constant)};
      if (op != 3 && below(2) == 0) std::swap(inputs[0], inputs[1]);
      const auto node = builder.add_node(name, *ops::find_operator(ops[op]), inputs, {}, 1, {});
      ASSERT_TRUE(node) << to_string(node.error());
      value = builder.output(*node);
      if (below(6) == 0) outputs.push_back(value);
    }
    if (outputs.empty() || outputs.back() != value) outputs.push_back(value);
    builder.set_outputs(outputs);
    const graph::Graph before = *std::move(builder).finish();
    const auto step = applied(merge, before);
    EXPECT_LE(step.result->nodes().size(), before.nodes().size());
    expect_same_meaning(before, *step.result);
    EXPECT_FALSE(applied(merge, *step.result).changed) << to_text(before) << to_text(*step.result);
  }
}

}  // namespace
}  // namespace loopglass::test
