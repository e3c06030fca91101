// Constant folding: constant operands, and values that follow from shapes before any data is known.
#include "tests/pass/before_after.h"

namespace loopglass::test {
namespace {

class Constants : public ::testing::TestWithParam<Situation> {};
TEST_P(Constants, BecomeWhatTheyAreWorth) { check(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, Constants,
    ::testing::Values(
        Situation{"What is computed from a shape and constants is known as well, in one sweep.",
                  "materialise-shapes",
                  R"(
  input %x: float32[2x3x4]
  const %two: int64[1] = [2]
  %s: int64[3] = Shape(%x) "s"
  %last: int64[1] = Gather(%s, %two) "last"
  %head: int64[2] = Slice(%s) {starts = [0], ends = [2]} "head"
  %count: int64[1] = ReduceProd(%head) {axes = [0], keepdims = 1} "count"
  %flat: int64[2] = Concat(%count, %last) {axis = 0} "flat"
  %twice: int64[2] = Add(%flat, %flat) "twice"
  %f: float32[2] = Cast(%twice) {to = "float32"} "f"
  %y: float32[2x3x4] = Abs(%x) "y"
  %z: float32[2] = Neg(%f) "z"
  output %y
  output %z)",
                  R"(
  input %x: float32[2x3x4]
  const %f: float32[2] = [12, 8]
  %y: float32[2x3x4] = Abs(%x) "y"
  %z: float32[2] = Neg(%f) "z"
  output %y
  output %z)",
                  {"FOLD_GRAPH_OUTPUT"}},
        Situation{"Ranges and filled tensors need no data at all.", "materialise-shapes",
                  R"(
  input %x: float32[3]
  %ones: float32[3] = ConstantOfShape() {shape = [3], value = float32[1] [1]} "ones"
  %column: float32[3x1] = Reshape(%x) {shape = [3, 1]} "column"
  %row: float32[1x3] = Reshape(%x) {shape = [1, 3]} "row"
  %m: float32[3x3] = MatMul(%column, %row) "m"
  %eye: float32[3x3] = EyeLike(%m) "eye"
  %y: float32[3] = Add(%x, %ones) "y"
  %z: float32[3x3] = Mul(%eye, %m) "z"
  output %y
  output %z)",
                  R"(
  input %x: float32[3]
  const %ones: float32[3] = [1, 1, 1]
  const %eye: float32[3x3] = [1, 0, 0, 0, 1, 0, 0, 0, 1]
  %column: float32[3x1] = Reshape(%x) {shape = [3, 1]} "column"
  %row: float32[1x3] = Reshape(%x) {shape = [1, 3]} "row"
  %m: float32[3x3] = MatMul(%column, %row) "m"
  %y: float32[3] = Add(%x, %ones) "y"
  %z: float32[3x3] = Mul(%eye, %m) "z"
  output %y
  output %z)"},
        Situation{"The sizes of empty tensors and of scalars are values, too.",
                  "materialise-shapes",
                  R"(
  input %empty: float32[0x3]
  input %one: float32[]
  %n: int64[] = Size(%empty) "n"
  %s: int64[0] = Shape(%one) "s"
  %a: int64[] = Neg(%n) "a"
  %b: int64[0] = Neg(%s) "b"
  output %a
  output %b)",
                  R"(
  input %empty: float32[0x3]
  input %one: float32[]
  const %n: int64[] = [0]
  const %s: int64[0] = []
  %a: int64[] = Neg(%n) "a"
  %b: int64[0] = Neg(%s) "b"
  output %a
  output %b)",
                  {"FOLD_GRAPH_OUTPUT", "FOLD_GRAPH_OUTPUT"}},
        Situation{"Constants that no shape is behind are left to constant folding.",
                  "materialise-shapes",
                  R"(
  input %x: float32[2]
  const %a: float32[2] = [1, 2]
  %n: float32[2] = Neg(%a) "n"
  %y: float32[2] = Add(%x, %n) "y"
  output %y)"},
        Situation{"Several results become several constants.", "fold-constants",
                  R"(
  input %x: float32[1]
  const %a: float32[2] = [1, 2]
  %p: float32[1], %q: float32[1] = Split(%a) {axis = 0} "s"
  %y: float32[1] = Add(%x, %p) "y"
  %z: float32[1] = Add(%y, %q) "z"
  output %z)",
                  R"(
  input %x: float32[1]
  const %p: float32[1] = [1]
  const %q: float32[1] = [2]
  %y: float32[1] = Add(%x, %p) "y"
  %z: float32[1] = Add(%y, %q) "z"
  output %z)"},
        Situation{"A result of the network stays an operator: running it writes it.",
                  "fold-constants",
                  R"(
  input %x: float32[1]
  const %a: float32[2] = [1, 2]
  %n: float32[2] = Neg(%a) "n"
  output %n)",
                  nullptr,
                  {"FOLD_GRAPH_OUTPUT"}},
        Situation{"Spreading a little over much is cheaper than reading the much.",
                  "fold-constants",
                  R"(
  input %x: float32[1024x512]
  const %a: float32[1] = [1]
  %e: float32[1024x512] = Expand(%a) {shape = [1024, 512]} "e"
  %y: float32[1024x512] = Add(%x, %e) "y"
  output %y)",
                  nullptr,
                  {"FOLD_GROWS"}}));

TEST(Constants, AreComputedOneByOneWhereOnlySomeMayBe) {
  const graph::Graph before = graph_of(R"(
  input %x: float32[1]
  const %a: float32[1] = [1]
  %b: float32[1] = Neg(%a) "b"
  %c: float32[1] = Neg(%b) "c"
  %y: float32[1] = Add(%x, %c) "y"
  output %y)");
  const auto step = applied("fold-constants", before, 1);
  ASSERT_EQ(step.rewrites.size(), 1u);
  EXPECT_EQ(step.rewrites[0].rule, "constant-inputs");
  EXPECT_EQ(step.result->find_node("b"), nullptr);
  EXPECT_NE(step.result->find_node("c"), nullptr);
}

TEST(Constants, TooLargeToComputeNowStayOperatorsWithTheNumbers) {
  const graph::Graph before = graph_of(R"(
  input %x: float32[1]
  const %a: float32[1x1] = [1]
  %left: float32[1000x1000] = Expand(%a) {shape = [1000, 1000]} "left"
  %m: float32[1000x1000] = MatMul(%left, %left) "m"
  %y: float32[1000x1000] = Add(%x, %m) "y"
  output %y)");
  const auto step = applied("fold-constants", before);
  EXPECT_FALSE(step.changed);
  ASSERT_EQ(codes(step), std::vector<std::string>{"FOLD_GROWS"});
  EXPECT_EQ(step.remarks[0].numbers[0], (std::pair<std::string, double>{"bytes", 4e6}));
}

}  // namespace
}  // namespace loopglass::test
