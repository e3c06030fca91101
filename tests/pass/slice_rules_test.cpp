// The rules about Slice and what is one: each at work, and where it must hold back.
#include "passes/graph/rules/families.h"
#include "tests/pass/rule_case.h"

namespace loopglass {
namespace {

using test::RuleCase;

const std::vector<RuleCase> slice_cases{
    {"slice-of-slice", R"(
  input %x: float32[20x3]
  %a: float32[6x3] = Slice(%x) {starts = [1], ends = [19], steps = [3]} "a"
  %b: float32[3x2] = Slice(%a) {starts = [0, 1], ends = [6, 3], steps = [2, 1]} "b"
  output %b)",
     "Slice 3x2"},
    // Backwards, down to the first element.
    {"slice-of-slice", R"(
  input %x: float32[10]
  %a: float32[10] = Slice(%x) {starts = [-1], ends = [-100], steps = [-1]} "a"
  %b: float32[5] = Slice(%a) {starts = [1], ends = [10], steps = [2]} "b"
  output %b)",
     "Slice 5"},
    {"slice-of-slice", R"(
  input %x: float32[10]
  %n: float32[10] = Neg(%x) "n"
  %a: float32[10] = Slice(%n) {starts = [-1], ends = [-100], steps = [-1]} "a"
  %b: float32[10] = Slice(%a) {starts = [-1], ends = [-100], steps = [-1]} "b"
  output %b)",
     "Neg 10"},
    {"slice-of-slice", R"(
  input %x: float32[10]
  %a: float32[4] = Slice(%x) {starts = [2], ends = [6]} "a"
  %b: float32[0] = Slice(%a) {starts = [3], ends = [1]} "b"
  output %b)",
     "Slice 0"},
    // A step so large that only its first element is there.
    {"slice-of-slice", R"(
  input %x: float32[10]
  %a: float32[1] = Slice(%x) {starts = [2], ends = [6], steps = [4611686018427387904]} "a"
  %b: float32[1] = Slice(%a) {starts = [0], ends = [1], steps = [4611686018427387904]} "b"
  output %b)",
     "Slice 1"},

    {"explicit-slice", R"(
  input %x: float32[2x5]
  %s: float32[2x3] = Slice(%x) {starts = [0, -3], ends = [9, 1000]} "s0"
  output %s)",
     "Slice 2x3"},
    {"explicit-slice", R"(
  input %x: float32[5x4]
  %s: float32[3x4] = Slice(%x) {starts = [-1], ends = [-100], axes = [-2], steps = [-2]} "s0"
  output %s)",
     "Slice 3x4"},

    {"slice-of-concat", R"(
  input %x: float32[2x3]
  input %y: float32[2x4]
  %c: float32[2x7] = Concat(%x, %y) {axis = -1} "c"
  %s: float32[1x2] = Slice(%c) {starts = [0, 4], ends = [1, 7], axes = [0, 1], steps = [1, 2]} "s0"
  output %s)",
     "Slice 1x2"},
    {"slice-of-concat", R"(
  input %x: float32[2x3]
  input %y: float32[2x4]
  %n: float32[2x4] = Neg(%y) "n"
  %c: float32[2x7] = Concat(%x, %n) {axis = 1} "c"
  %s: float32[2x4] = Slice(%c) {starts = [3], ends = [7], axes = [1]} "s0"
  output %s)",
     "Neg 2x4"},
    // Of two parts, were it only for an element.
    {"slice-of-concat", R"(
  input %x: float32[2x3]
  input %y: float32[2x4]
  %c: float32[2x7] = Concat(%x, %y) {axis = 1} "c"
  %s: float32[2x5] = Slice(%c) {starts = [2], ends = [7], axes = [1]} "s0"
  output %s)"},

    {"slice-of-pad", R"(
  input %x: float32[4x4]
  %p: float32[6x5] = Pad(%x) {pads = [1, 2, 1, -1]} "p"
  %s: float32[2x3] = Slice(%p) {starts = [1, 2], ends = [5, 5], steps = [2, 1]} "s0"
  output %s)",
     "Slice 2x3"},
    {"slice-of-pad", R"(
  input %x: float32[4]
  %p: float32[8] = Pad(%x) {pads = [2, 2], mode = "reflect"} "p"
  %s: float32[2] = Slice(%p) {starts = [4], ends = [2], steps = [-1]} "s0"
  output %s)",
     "Slice 2"},
    {"slice-of-pad", R"(
  input %x: float32[4]
  %p: float32[8] = Pad(%x) {pads = [2, 2]} "p"
  %s: float32[4] = Slice(%p) {starts = [1], ends = [5]} "s0"
  output %s)"},

    {"slice-of-expand", R"(
  input %x: float32[6x1]
  %e: float32[2x6x4] = Expand(%x) {shape = [2, 6, 4]} "e"
  %s: float32[1x3x2] = Slice(%e) {starts = [1, 0, 1], ends = [2, 6, 3], steps = [1, 2, 1]} "s0"
  output %s)",
     "Slice 3x1, Expand 1x3x2"},
    {"slice-of-expand", R"(
  input %x: float32[3]
  %n: float32[3] = Neg(%x) "n"
  %e: float32[2x3] = Expand(%n) {shape = [2, 3]} "e"
  %s: float32[2x2] = Slice(%e) {starts = [1], ends = [3], axes = [1]} "s0"
  output %e
  output %s)"},

    {"slice-of-transpose", R"(
  input %x: float32[2x3x4]
  %t: float32[3x4x2] = Transpose(%x) {perm = [1, 2, 0]} "t"
  %s: float32[2x2x1] = Slice(%t) {starts = [1, 0, 1], ends = [3, 4, 2], steps = [1, 3, 1]} "s0"
  output %s)",
     "Slice 1x2x2, Transpose 2x2x1"},
    // Turned round, but as large.
    {"slice-of-transpose", R"(
  input %x: float32[2x3]
  %t: float32[3x2] = Transpose(%x) {perm = [1, 0]} "t"
  %s: float32[3x2] = Slice(%t) {starts = [2], ends = [-100], steps = [-1]} "s0"
  output %s)"},

    {"slice-above-unary", R"(
  input %x: float32[4x6]
  input %k: float32[1]
  %a: float32[4x6] = Pow(%x, %k) "a"
  %b: float32[4x6] = Sigmoid(%a) "b"
  %s: float32[4x2] = Slice(%b) {starts = [1], ends = [3], axes = [1]} "s0"
  output %s)",
     "Slice 4x2, Pow 4x2, Sigmoid 4x2"},
    {"slice-above-unary", R"(
  input %x: float32[4x6]
  %a: float32[4x6] = Sigmoid(%x) "a"
  %s: float32[4x2] = Slice(%a) {starts = [1], ends = [3], axes = [1]} "s0"
  output %a
  output %s)"},
    // Only one operand is cut: the other broadcasts along that axis.
    {"slice-above-unary", R"(
  input %x: float32[4x6]
  input %y: float32[4x1]
  %a: float32[4x6] = Add(%x, %y) "a"
  %s: float32[4x2] = Slice(%a) {starts = [1], ends = [3], axes = [1]} "s0"
  output %s)",
     "Slice 4x2, Add 4x2"},
    {"slice-above-elementwise", R"(
  input %x: float32[4x6]
  input %y: float32[6]
  %a: float32[4x6] = Div(%x, %y) "a"
  %s: float32[2x2] = Slice(%a) {starts = [1, 1], ends = [3, 5], steps = [1, 2]} "s0"
  output %s)",
     "Slice 2x2, Slice 2, Div 2x2"},
    // Two slices of 20 elements would be made to save 4.
    {"slice-above-elementwise", R"(
  input %x: float32[4x6]
  input %y: float32[4x6]
  %a: float32[4x6] = Div(%x, %y) "a"
  %s: float32[4x5] = Slice(%a) {starts = [0], ends = [5], axes = [1]} "s0"
  output %s)"},

    {"slice-above-product", R"(
  input %a: float32[3x4x5]
  input %b: float32[5x6]
  %m: float32[3x4x6] = MatMul(%a, %b) "m"
  %s: float32[3x1x6] = Slice(%m) {starts = [-1], ends = [4], axes = [1]} "s0"
  output %s)",
     "Slice 3x1x5, MatMul 3x1x6"},
    {"slice-above-product", R"(
  input %a: float32[3x4x5]
  input %b: float32[3x5x6]
  %m: float32[3x4x6] = MatMul(%a, %b) "m"
  %s: float32[1x4x2] = Slice(%m) {starts = [1, 5], ends = [2, 0], axes = [0, 2], steps = [1, -4]} "s0"
  output %s)",
     "Slice 1x4x5, Slice 1x5x2, MatMul 1x4x2"},
    {"slice-above-product", R"(
  input %a: float32[3x5]
  input %b: float32[5]
  %m: float32[3] = MatMul(%a, %b) "m"
  %s: float32[1] = Slice(%m) {starts = [1], ends = [2]} "s0"
  output %s)"},

    {"gather-to-slice", R"(
  input %x: float32[4x8]
  const %i: int64[3] = [1, 3, -3]
  %g: float32[4x3] = Gather(%x, %i) {axis = 1} "g"
  output %g)",
     "Slice 4x3"},
    {"gather-to-slice", R"(
  input %x: float32[4x8]
  const %i: int64[] = [-1]
  %g: float32[8] = Gather(%x, %i) "g"
  output %g)",
     "Slice 1x8, Reshape 8"},
    {"gather-to-slice", R"(
  input %x: float32[4x8]
  const %i: int32[2x2] = [3, 2, 1, 0]
  %g: float32[2x2x8] = Gather(%x, %i) "g"
  output %g)",
     "Slice 4x8, Reshape 2x2x8"},
    {"gather-to-slice", R"(
  input %x: float32[4x8]
  const %i: int64[3] = [0, 1, 3]
  %g: float32[3x8] = Gather(%x, %i) "g"
  output %g)"},
    {"gather-to-slice", R"(
  input %x: float32[4x8]
  const %i: int64[2] = [2, 2]
  %g: float32[2x8] = Gather(%x, %i) "g"
  output %g)"},
    // Outside the tensor the nearest element is taken, which no slice does.
    {"gather-to-slice", R"(
  input %x: float32[4x8]
  const %i: int64[2] = [3, 4]
  %g: float32[2x8] = Gather(%x, %i) "g"
  output %g)"},

    {"compress-to-slice", R"(
  input %x: float32[2x6]
  %c: float32[2x3] = Compress(%x) {axis = 1, condition = [0, 1, 0, 1, 0, 1]} "c"
  output %c)",
     "Slice 2x3"},
    {"compress-to-slice", R"(
  input %x: float32[2x6]
  %c: float32[2x3] = Compress(%x) {axis = 1, condition = [1, 1, 0, 1]} "c"
  output %c)"},
};

class SliceRule : public ::testing::TestWithParam<RuleCase> {};
TEST_P(SliceRule, DoesWhatItSaysAndKeepsTheMeaning) { test::check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, SliceRule, ::testing::ValuesIn(slice_cases));

TEST(SliceRules, EachHasACase) {
  test::expect_a_case_for_each(passes::rules::slice_rules(), slice_cases);
}

}  // namespace
}  // namespace loopglass
