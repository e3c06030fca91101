// The rules about Concat, Pad and Tile: each at work, and where it must hold back.
#include "passes/graph/rules/families.h"
#include "tests/pass/rule_case.h"

namespace loopglass {
namespace {

using test::RuleCase;

const std::vector<RuleCase> concatenation_cases{
    {"concat-of-concat", R"(
  input %x: float32[2x1]
  input %y: float32[2x2]
  input %z: float32[2x3]
  %a: float32[2x3] = Concat(%x, %y) {axis = -1} "a"
  %b: float32[2x6] = Concat(%z, %a) {axis = 1} "b"
  output %b)",
     "Concat 2x6"},
    {"concat-of-concat", R"(
  input %x: float32[2x3]
  input %z: float32[4x3]
  %a: float32[4x3] = Concat(%x, %x) {axis = 0} "a"
  %b: float32[4x6] = Concat(%z, %a) {axis = 1} "b"
  output %b)"},

    {"concat-without-empty-parts", R"(
  input %x: float32[2x3]
  input %y: float32[2x0]
  input %z: float32[2x1]
  %a: float32[2x4] = Concat(%x, %y, %z) {axis = 1} "a"
  output %a)",
     "Concat 2x4"},
    {"concat-without-empty-parts", R"(
  input %x: float32[2x0]
  %n: float32[2x0] = Neg(%x) "n"
  %a: float32[2x0] = Concat(%n, %x, %x) {axis = 1} "a"
  output %a)",
     "Neg 2x0"},
    // Empty, but not along the axis: each part counts.
    {"concat-without-empty-parts", R"(
  input %x: float32[0x3]
  %a: float32[0x6] = Concat(%x, %x) {axis = 1} "a"
  output %a)"},

    {"concat-of-adjacent-slices", R"(
  input %x: float32[2x9]
  %a: float32[2x2] = Slice(%x) {starts = [1], ends = [3], axes = [1]} "a"
  %b: float32[2x1] = Slice(%x) {starts = [3], ends = [4], axes = [1]} "b"
  %c: float32[2x5] = Slice(%x) {starts = [4], ends = [9], axes = [1]} "c"
  %d: float32[2x8] = Concat(%a, %b, %c) {axis = 1} "d"
  output %d)",
     "Slice 2x8"},
    {"concat-of-adjacent-slices", R"(
  input %x: float32[9]
  input %y: float32[1]
  %a: float32[2] = Slice(%x) {starts = [8], ends = [5], steps = [-2]} "a"
  %b: float32[2] = Slice(%x) {starts = [4], ends = [1], steps = [-2]} "b"
  %c: float32[5] = Concat(%y, %a, %b) {axis = 0} "c"
  output %c)",
     "Slice 4, Concat 5"},
    // A gap, another step, another row.
    {"concat-of-adjacent-slices", R"(
  input %x: float32[9]
  %a: float32[2] = Slice(%x) {starts = [0], ends = [2]} "a"
  %b: float32[2] = Slice(%x) {starts = [3], ends = [5]} "b"
  %c: float32[4] = Concat(%a, %b) {axis = 0} "c"
  output %c)"},
    {"concat-of-adjacent-slices", R"(
  input %x: float32[9]
  %a: float32[2] = Slice(%x) {starts = [0], ends = [2]} "a"
  %b: float32[2] = Slice(%x) {starts = [2], ends = [5], steps = [2]} "b"
  %c: float32[4] = Concat(%a, %b) {axis = 0} "c"
  output %c)"},
    {"concat-of-adjacent-slices", R"(
  input %x: float32[2x4]
  %a: float32[1x2] = Slice(%x) {starts = [0, 0], ends = [1, 2]} "a"
  %b: float32[1x2] = Slice(%x) {starts = [1, 2], ends = [2, 4]} "b"
  %c: float32[1x4] = Concat(%a, %b) {axis = 1} "c"
  output %c)"},
    {"concat-of-adjacent-slices", R"(
  input %x: float32[9]
  %a: float32[2] = Slice(%x) {starts = [0], ends = [2]} "a"
  %b: float32[2] = Slice(%x) {starts = [2], ends = [4]} "b"
  %c: float32[4] = Concat(%a, %b) {axis = 0} "c"
  output %b
  output %c)"},
    {"concat-of-adjacent-slices", R"(
  input %x: float32[9]
  %a: float32[2] = Slice(%x) {starts = [0], ends = [2]} "a"
  %b: float32[2] = Slice(%x) {starts = [2], ends = [4]} "b"
  %c: float32[6] = Concat(%a, %b, %a) {axis = 0} "c"
  output %c)"},

    {"concat-of-split", R"(
  input %x: float32[2x6]
  input %y: float32[2x1]
  %a: float32[2x1], %b: float32[2x2], %c: float32[2x3] = Split(%x) {axis = 1, split = [1, 2, 3]} "a"
  %d: float32[2x7] = Concat(%y, %a, %b, %c) {axis = -1} "d"
  output %d)",
     "Concat 2x7"},
    {"concat-of-split", R"(
  input %x: float32[4]
  %n: float32[4] = Neg(%x) "n"
  %a: float32[2], %b: float32[2] = Split(%n) "a"
  %d: float32[4] = Concat(%a, %b) {axis = 0} "d"
  output %d)",
     "Neg 4"},
    // In another order, or along another axis.
    {"concat-of-split", R"(
  input %x: float32[4]
  %a: float32[2], %b: float32[2] = Split(%x) "a"
  %d: float32[4] = Concat(%b, %a) {axis = 0} "d"
  output %d)"},
    {"concat-of-split", R"(
  input %x: float32[4x4]
  %a: float32[2x4], %b: float32[2x4] = Split(%x) "a"
  %d: float32[2x8] = Concat(%a, %b) {axis = 1} "d"
  output %d)"},

    {"adjacent-constants-in-concat", R"(
  input %x: float32[2x1]
  const %a: float32[2x1] = [1, 2]
  const %b: float32[2x2] = [3, 4, 5, 6]
  const %c: float32[2x1] = [7, 8]
  %d: float32[2x5] = Concat(%a, %b, %c, %x) {axis = 1} "d"
  output %d)",
     "Concat 2x5"},
    {"adjacent-constants-in-concat", R"(
  input %x: float32[2]
  const %a: float32[1] = [1]
  const %b: float32[1] = [2]
  %d: float32[4] = Concat(%a, %x, %b) {axis = 0} "d"
  output %d)"},
    {"adjacent-constants-in-concat", R"(
  input %x: float32[2]
  const %a: float32[2] = [1, 2]
  const %b: float32[1] = [2]
  %d: float32[5] = Concat(%a, %b, %x) {axis = 0} "d"
  %e: float32[2] = Add(%a, %x) "e"
  output %d
  output %e)"},

    {"transposes-below-concat", R"(
  input %x: float32[2x3x4]
  input %y: float32[2x1x4]
  %s: float32[4x2x3] = Transpose(%x) {perm = [2, 0, 1]} "s0"
  %t: float32[4x2x1] = Transpose(%y) {perm = [2, 0, 1]} "t"
  %c: float32[4x2x4] = Concat(%s, %t) {axis = -1} "c"
  output %c)",
     "Concat 2x4x4, Transpose 4x2x4"},
    {"transposes-below-concat", R"(
  input %x: float32[2x2x2]
  %s: float32[2x2x2] = Transpose(%x) {perm = [2, 0, 1]} "s0"
  %t: float32[2x2x2] = Transpose(%x) {perm = [1, 2, 0]} "t"
  %c: float32[2x2x4] = Concat(%s, %t) {axis = -1} "c"
  output %c)"},

    {"pad-of-pad", R"(
  input %x: float32[2x3]
  %a: float32[3x4] = Pad(%x) {pads = [0, 1, 1, 0], value = 0.5} "a"
  %b: float32[3x7] = Pad(%a) {pads = [1, 2], axes = [-1], value = 0.5} "b"
  output %b)",
     "Pad 3x7"},
    // Other values around, or elements taken away in between.
    {"pad-of-pad", R"(
  input %x: float32[3]
  %a: float32[5] = Pad(%x) {pads = [1, 1], value = 0.5} "a"
  %b: float32[7] = Pad(%a) {pads = [1, 1]} "b"
  output %b)"},
    {"pad-of-pad", R"(
  input %x: float32[3]
  %a: float32[1] = Pad(%x) {pads = [-1, -1]} "a"
  %b: float32[3] = Pad(%a) {pads = [1, 1]} "b"
  output %b)"},
    {"pad-of-pad", R"(
  input %x: float32[4]
  %a: float32[6] = Pad(%x) {pads = [1, 1], mode = "reflect"} "a"
  %b: float32[8] = Pad(%a) {pads = [1, 1], mode = "reflect"} "b"
  output %b)"},

    {"crop-to-slice", R"(
  input %x: float32[4x5]
  %a: float32[4x2] = Pad(%x) {pads = [0, -1, 0, -2], mode = "edge"} "a"
  output %a)",
     "Slice 4x2"},
    {"crop-to-slice", R"(
  input %x: float32[4]
  %a: float32[4] = Pad(%x) {pads = [-1, 1]} "a"
  output %a)"},

    {"tile-of-tile", R"(
  input %x: float32[2x3]
  %a: float32[4x3] = Tile(%x) {repeats = [2, 1]} "a"
  %b: float32[12x6] = Tile(%a) {repeats = [3, 2]} "b"
  output %b)",
     "Tile 12x6"},
    {"tile-to-expand", R"(
  input %x: float32[1x3]
  %a: float32[2x3] = Tile(%x) {repeats = [2, 1]} "a"
  output %a)",
     "Expand 2x3"},
    {"tile-to-expand", R"(
  input %x: float32[1x3]
  %a: float32[2x6] = Tile(%x) {repeats = [2, 2]} "a"
  output %a)"},
};

class ConcatenationRule : public ::testing::TestWithParam<RuleCase> {};
TEST_P(ConcatenationRule, DoesWhatItSaysAndKeepsTheMeaning) { test::check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ConcatenationRule, ::testing::ValuesIn(concatenation_cases));

TEST(ConcatenationRules, EachHasACase) {
  test::expect_a_case_for_each(passes::rules::concatenation_rules(), concatenation_cases);
}

}  // namespace
}  // namespace loopglass
