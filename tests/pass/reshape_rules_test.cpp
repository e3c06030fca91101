// The rules about Reshape, its kin and Expand: each at work, and where it must hold back.
#include "passes/graph/rules/families.h"
#include "tests/pass/rule_case.h"

namespace loopglass {
namespace {

using test::RuleCase;

const std::vector<RuleCase> reshape_cases{
    {"flatten-to-reshape", R"(
  input %x: float32[2x3x2]
  %f: float32[2x6] = Flatten(%x) "f"
  output %f)",
     "Reshape 2x6"},
    {"squeeze-to-reshape", R"(
  input %x: float32[2x1x3x1]
  %s: float32[2x3] = Squeeze(%x) "s"
  output %s)",
     "Reshape 2x3"},
    {"unsqueeze-to-reshape", R"(
  input %x: float32[2x3]
  %u: float32[2x1x3] = Unsqueeze(%x) {axes = [1]} "u"
  output %u)",
     "Reshape 2x1x3"},

    {"explicit-reshape", R"(
  input %x: float32[2x3x4]
  %r: float32[2x12] = Reshape(%x) {shape = [0, -1]} "r"
  output %r)",
     "Reshape 2x12"},
    // An extent of 0 is meant as one.
    {"explicit-reshape", R"(
  input %x: float32[0x3]
  %r: float32[3x0] = Reshape(%x) {shape = [3, -1]} "r"
  output %r)",
     "Reshape 3x0"},
    {"explicit-reshape", R"(
  input %x: float32[2x3]
  %r: float32[6] = Reshape(%x) {shape = [6]} "r"
  output %r)"},

    {"reshape-of-reshape", R"(
  input %x: float32[2x6]
  %a: float32[3x4] = Reshape(%x) {shape = [3, 4]} "a"
  %b: float32[3x2x2] = Reshape(%a) {shape = [3, 2, 2]} "b"
  output %b)",
     "Reshape 3x2x2"},
    // The first one is still needed, but the second one no longer waits for it.
    {"reshape-of-reshape", R"(
  input %x: float32[2x3]
  %a: float32[2x3x1] = Unsqueeze(%x) {axes = [2]} "a"
  %b: float32[6] = Reshape(%a) {shape = [-1]} "b"
  output %a
  output %b)",
     "Unsqueeze 2x3x1, Reshape 6"},
    {"reshape-of-reshape", R"(
  input %x: float32[2x3]
  %n: float32[2x3] = Neg(%x) "n"
  %a: float32[2x3x1] = Unsqueeze(%n) {axes = [2]} "a"
  %b: float32[2x3] = Squeeze(%a) "b"
  output %b)",
     "Neg 2x3"},

    {"reshape-below-unary", R"(
  input %x: float32[2x6]
  const %low: float32[] = [0]
  const %high: float32[] = [0.5]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %c: float32[3x4] = Clip(%r, %low, %high) "c"
  %t: int32[3x4] = Cast(%c) {to = "int32"} "t"
  output %t)",
     "Clip 2x6, Cast 2x6, Reshape 3x4"},
    // One number, whatever its shape, is the same for every element ...
    {"reshape-below-unary", R"(
  input %x: float32[2x6]
  input %k: float32[1]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %m: float32[3x4] = Mul(%k, %r) "m"
  output %m)",
     "Mul 2x6, Reshape 3x4"},
    // ... unless its shape would give the result another rank.
    {"reshape-below-unary", R"(
  input %x: float32[12]
  input %k: float32[1x1]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %m: float32[3x4] = Mul(%k, %r) "m"
  output %m)"},
    {"reshape-below-unary", R"(
  input %x: float32[2x6]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %a: float32[3x4] = Abs(%r) "a"
  output %r
  output %a)"},
    // Not element by element.
    {"reshape-below-unary", R"(
  input %x: float32[2x6]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %s: float32[3x4] = Softmax(%r) "s"
  output %s)"},

    {"reshapes-below-elementwise", R"(
  input %x: float32[2x6]
  input %y: float32[2x6]
  input %k: float32[]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %s: float32[3x4] = Reshape(%y) {shape = [3, 4]} "s"
  %a: float32[3x4] = Sum(%r, %k, %s) "a"
  output %a)",
     "Sum 2x6, Reshape 3x4"},
    {"reshapes-below-elementwise", R"(
  input %x: float32[2x6]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %a: float32[3x4] = Mul(%r, %r) "a"
  output %a)",
     "Mul 2x6, Reshape 3x4"},
    // From two shapes.
    {"reshapes-below-elementwise", R"(
  input %x: float32[2x6]
  input %y: float32[6x2]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %s: float32[3x4] = Reshape(%y) {shape = [3, 4]} "s"
  %a: float32[3x4] = Add(%r, %s) "a"
  output %a)"},
    // What broadcasts after the reshape would not broadcast alike before it.
    {"reshapes-below-elementwise", R"(
  input %x: float32[4]
  input %y: float32[4]
  %r: float32[4x1] = Reshape(%x) {shape = [4, 1]} "r"
  %s: float32[1x4] = Reshape(%y) {shape = [1, 4]} "s"
  %a: float32[4x4] = Add(%r, %s) "a"
  output %a)"},
    {"reshapes-below-elementwise", R"(
  input %x: float32[2x6]
  input %y: float32[2x6]
  %r: float32[12] = Reshape(%x) {shape = [12]} "r"
  %s: float32[12] = Reshape(%y) {shape = [12]} "s"
  %a: float32[12] = Add(%r, %s) "a"
  output %a
  output %s)"},

    {"reshape-below-elementwise-with-constant", R"(
  input %x: float32[2x3]
  const %k: float32[6] = [1, 2, 3, 4, 5, 6]
  %r: float32[6] = Reshape(%x) {shape = [6]} "r"
  %d: float32[6] = Div(%k, %r) "d"
  output %d)",
     "Div 2x3, Reshape 6"},
    {"reshape-below-elementwise-with-constant", R"(
  input %x: float32[2x6]
  const %k: float32[4] = [1, 2, 3, 4]
  %r: float32[3x4] = Reshape(%x) {shape = [3, 4]} "r"
  %a: float32[3x4] = Add(%k, %r) "a"
  output %a)"},
    {"reshape-below-elementwise-with-constant", R"(
  input %x: float32[2]
  const %k: float32[2x2] = [1, 2, 3, 4]
  %r: float32[2x1] = Unsqueeze(%x) {axes = [1]} "r"
  %a: float32[2x2] = Add(%k, %r) "a"
  output %a)"},
    // The constant would have to be kept in both shapes.
    {"reshape-below-elementwise-with-constant", R"(
  input %x: float32[2x3]
  input %y: float32[6]
  const %k: float32[6] = [1, 2, 3, 4, 5, 6]
  %r: float32[6] = Reshape(%x) {shape = [6]} "r"
  %a: float32[6] = Add(%k, %r) "a"
  %b: float32[6] = Add(%k, %y) "b"
  output %a
  output %b)"},

    {"explicit-expand", R"(
  input %x: float32[2x3]
  %e: float32[4x2x3] = Expand(%x) {shape = [4, 1, 1]} "e"
  output %e)",
     "Expand 4x2x3"},
    {"expand-of-expand", R"(
  input %x: float32[2x1]
  %a: float32[2x3] = Expand(%x) {shape = [3]} "a"
  %b: float32[4x2x3] = Expand(%a) {shape = [4, 1, 3]} "b"
  output %b)",
     "Expand 4x2x3"},
    {"expand-of-leading-axes", R"(
  input %x: float32[2x3]
  %u: float32[1x2x3] = Unsqueeze(%x) {axes = [0]} "u"
  %e: float32[4x2x3] = Expand(%u) {shape = [4, 2, 3]} "e"
  output %e)",
     "Expand 4x2x3"},
    {"expand-of-leading-axes", R"(
  input %x: float32[2x3]
  %u: float32[2x1x3] = Unsqueeze(%x) {axes = [1]} "u"
  %e: float32[2x4x3] = Expand(%u) {shape = [2, 4, 3]} "e"
  output %e)"},

    {"expand-into-elementwise", R"(
  input %x: float32[3]
  input %y: float32[2x3]
  %e: float32[2x3] = Expand(%x) {shape = [2, 3]} "e"
  %s: float32[2x3] = Sub(%y, %e) "s"
  output %s)",
     "Sub 2x3"},
    // Either of the two must stay.
    {"expand-into-elementwise", R"(
  input %x: float32[3]
  input %y: float32[1x3]
  input %c: bool[2x1]
  %e: float32[2x3] = Expand(%x) {shape = [2, 3]} "e"
  %f: float32[4x2x3] = Expand(%y) {shape = [4, 2, 3]} "f"
  %w: float32[4x2x3] = Where(%c, %e, %f) "w"
  output %w)",
     "Expand 4x2x3, Where 4x2x3"},
    {"expand-into-elementwise", R"(
  input %x: float32[3]
  input %y: float32[3]
  %e: float32[2x3] = Expand(%x) {shape = [2, 3]} "e"
  %m: float32[2x3] = Mul(%e, %y) "m"
  output %m)"},
    // The slope of PRelu broadcasts, its first operand does not.
    {"expand-into-elementwise", R"(
  input %x: float32[3]
  input %s: float32[2x3]
  %e: float32[2x3] = Expand(%x) {shape = [2, 3]} "e"
  %p: float32[2x3] = PRelu(%e, %s) "p"
  output %p)"},

    {"leading-axes-into-elementwise", R"(
  input %x: float32[3]
  input %y: float32[4x2x3]
  %u: float32[1x1x3] = Unsqueeze(%x) {axes = [0, 1]} "u"
  %s: float32[4x2x3] = Sub(%u, %y) "s"
  output %s)",
     "Sub 4x2x3"},
    {"leading-axes-into-elementwise", R"(
  input %x: float32[3]
  input %y: float32[2x3]
  %u: float32[1x1x3] = Unsqueeze(%x) {axes = [0, 1]} "u"
  %s: float32[1x2x3] = Sub(%u, %y) "s"
  output %s)"},
    {"leading-axes-into-elementwise", R"(
  input %x: float32[3]
  input %y: float32[3x3]
  %u: float32[3x1] = Unsqueeze(%x) {axes = [1]} "u"
  %s: float32[3x3] = Sub(%u, %y) "s"
  output %s)"},

    {"expand-into-product", R"(
  input %x: float32[1x2x3]
  input %y: float32[4x3x2]
  %e: float32[4x2x3] = Expand(%x) {shape = [4, 2, 3]} "e"
  %m: float32[4x2x2] = MatMul(%e, %y) "m"
  output %m)",
     "MatMul 4x2x2"},
    {"expand-into-product", R"(
  input %x: float32[4x2x1]
  input %y: float32[4x1x2]
  %e: float32[4x2x3] = Expand(%x) {shape = [4, 2, 3]} "e"
  %f: float32[4x3x2] = Expand(%y) {shape = [4, 3, 2]} "f"
  %m: float32[4x2x2] = MatMul(%e, %f) "m"
  output %m)"},

    {"expand-below-elementwise", R"(
  input %x: float32[3]
  %e: float32[2x3] = Expand(%x) {shape = [2, 3]} "e"
  %t: float32[2x3] = Tanh(%e) "t"
  output %t)",
     "Tanh 3, Expand 2x3"},
    {"expand-below-elementwise", R"(
  input %x: float32[3]
  input %y: float32[2x1]
  %e: float32[4x2x3] = Expand(%x) {shape = [4, 2, 3]} "e"
  %f: float32[4x2x3] = Expand(%y) {shape = [4, 2, 3]} "f"
  %m: float32[4x2x3] = Max(%e, %f) "m"
  output %m)",
     "Max 2x3, Expand 4x2x3"},
    {"expand-below-elementwise", R"(
  input %x: float32[3]
  %e: float32[2x3] = Expand(%x) {shape = [2, 3]} "e"
  %t: float32[2x3] = Tanh(%e) "t"
  output %e
  output %t)"},
};

class ReshapeRule : public ::testing::TestWithParam<RuleCase> {};
TEST_P(ReshapeRule, DoesWhatItSaysAndKeepsTheMeaning) { test::check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ReshapeRule, ::testing::ValuesIn(reshape_cases));

TEST(ReshapeRules, EachHasACase) {
  test::expect_a_case_for_each(passes::rules::reshape_rules(), reshape_cases);
}

}  // namespace
}  // namespace loopglass
