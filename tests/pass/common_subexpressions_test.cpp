// Common subexpressions: what is computed twice is computed once, what is kept twice is kept once.
#include "core/ops/registry.h"
#include "tests/pass/before_after.h"

namespace loopglass::test {
namespace {

constexpr const char* merging = "merge-common-subexpressions";

class CommonSubexpressions : public ::testing::TestWithParam<Situation> {};
TEST_P(CommonSubexpressions, AreComputedOnce) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, CommonSubexpressions,
    ::testing::Values(
        Situation{"Whole trees are merged in one sweep, and come from where both came from.",
                  merging,
                  R"(
  input %x: float32[2]
  %a: float32[2] = Exp(%x) "a" from 0
  %b: float32[2] = Neg(%a) "b" from 1
  %c: float32[2] = Exp(%x) "c" from 2
  %d: float32[2] = Neg(%c) "d" from 3
  %y: float32[2] = Mul(%b, %d) "y" from 4
  output %y)",
                  R"(
  input %x: float32[2]
  %a: float32[2] = Exp(%x) "a" from 0, 2
  %b: float32[2] = Neg(%a) "b" from 1, 3
  %y: float32[2] = Mul(%b, %b) "y" from 4
  output %y)"},
        Situation{"Operands of a sum may come in any order, those of a difference may not.",
                  merging,
                  R"(
  input %x: float32[2]
  input %y: float32[2]
  %a: float32[2] = Add(%x, %y) "a"
  %b: float32[2] = Add(%y, %x) "b"
  %c: float32[2] = Sub(%x, %y) "c"
  %d: float32[2] = Sub(%y, %x) "d"
  %z: float32[2] = Sum(%a, %b, %c, %d) "z"
  output %z)",
                  R"(
  input %x: float32[2]
  input %y: float32[2]
  %a: float32[2] = Add(%x, %y) "a"
  %c: float32[2] = Sub(%x, %y) "c"
  %d: float32[2] = Sub(%y, %x) "d"
  %z: float32[2] = Sum(%a, %a, %c, %d) "z"
  output %z)"},
        Situation{"Constants are equal when type and bytes are: not where one zero is negative.",
                  merging,
                  R"(
  input %x: float32[2]
  const %a: float32[2] = [0, 1]
  const %b: float32[2] = [0, 1]
  const %c: float32[2] = [-0, 1]
  const %d: float32[1x2] = [0, 1]
  %p: float32[2] = Mul(%x, %a) "p"
  %q: float32[2] = Mul(%x, %b) "q"
  %r: float32[2] = Mul(%x, %c) "r"
  %s: float32[1x2] = Mul(%x, %d) "s"
  %y: float32[1x2] = Sum(%p, %q, %r, %s) "y"
  output %y)",
                  R"(
  input %x: float32[2]
  const %a: float32[2] = [0, 1]
  const %c: float32[2] = [-0, 1]
  const %d: float32[1x2] = [0, 1]
  %p: float32[2] = Mul(%x, %a) "p"
  %r: float32[2] = Mul(%x, %c) "r"
  %s: float32[1x2] = Mul(%x, %d) "s"
  %y: float32[1x2] = Sum(%p, %p, %r, %s) "y"
  output %y)"},
        Situation{"Attributes count, in their value and in the sign of a zero.", merging,
                  R"(
  input %x: float32[2]
  %a: float32[2] = LeakyRelu(%x) {alpha = 0.5} "a"
  %b: float32[2] = LeakyRelu(%x) {alpha = 0.25} "b"
  %c: float32[3] = Pad(%x) {pads = [0, 1], value = 0} "c"
  %d: float32[3] = Pad(%x) {pads = [0, 1], value = -0} "d"
  output %a
  output %b
  output %c
  output %d)"},
        Situation{"The network's name for a result goes to the operator that stays.", merging,
                  R"(
  input %x: float32[2]
  %a: float32[2] = Exp(%x) "a"
  %b: float32[2] = Neg(%a) "b"
  %result: float32[2] = Exp(%x) "c"
  output %b
  output %result)",
                  R"(
  input %x: float32[2]
  %result: float32[2] = Exp(%x) "a"
  %b: float32[2] = Neg(%result) "b"
  output %b
  output %result)"},
        Situation{"Two results of the network stay two.",
                  merging,
                  R"(
  input %x: float32[2]
  %a: float32[2] = Exp(%x) "a"
  %b: float32[2] = Exp(%x) "b"
  output %a
  output %b)",
                  nullptr,
                  {"BOTH_GRAPH_OUTPUTS"}},
        Situation{"All results of an operator are merged, used or not.", merging,
                  R"(
  input %x: float32[4]
  %a: float32[2], %b: float32[2] = Split(%x) "s"
  %c: float32[2], %d: float32[2] = Split(%x) "t"
  %y: float32[2] = Sub(%a, %d) "y"
  output %y)",
                  R"(
  input %x: float32[4]
  %a: float32[2], %b: float32[2] = Split(%x) "s"
  %y: float32[2] = Sub(%a, %b) "y"
  output %y)"},
        Situation{"An operand left out is not an operand given.", merging,
                  R"(
  input %x: float32[2]
  const %l: float32[] = [0]
  %a: float32[2] = Clip(%x, %l, _) "a"
  %b: float32[2] = Clip(%x, _, %l) "b"
  output %a
  output %b)"}));

TEST(CommonSubexpressions, KeepOneOfLargeConstantsThatDifferInOneByteOnly) {
  graph::GraphBuilder builder("g");
  const TensorType type{DataType::Float32, {1 << 16}};
  const graph::ValueId x = builder.add_input("x", type);
  std::vector<graph::ValueId> sums{x};
  for (int i = 0; i < 4; ++i) {
    Tensor data(type);
    // The third one differs, in a byte that no sample of them looks at.
    data.as<float>()[12345] = i == 2 ? 1.0f : 2.0f;
    const graph::ValueId constant = builder.add_constant("c", data);
    sums.push_back(
        builder.output(*builder.add_node("n", *ops::find_operator("Mul"), {x, constant}, {})));
  }
  builder.set_outputs(
      {builder.output(*builder.add_node("y", *ops::find_operator("Sum"), sums, {}))});
  const auto step = applied(merging, *std::move(builder).finish());
  EXPECT_EQ(step.result->nodes().size(), 3u);  // two products and the sum
  EXPECT_EQ(step.rewrites.size(), 4u);         // two constants, two products
  EXPECT_EQ(step.rewrites.back().rule, "same-operator");
  EXPECT_EQ(step.rewrites.back().consumed.size(), 2u);
}

}  // namespace
}  // namespace loopglass::test
