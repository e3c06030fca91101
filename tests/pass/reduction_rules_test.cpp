// The rules about reductions and pooling: each at work, and where it must hold back.
#include "passes/graph/rules/families.h"
#include "tests/pass/rule_case.h"

namespace loopglass {
namespace {

using test::RuleCase;

const std::vector<RuleCase> reduction_cases{
    {"reduce-over-unit-axes", R"(
  input %x: float32[2x1x3x1]
  %a: float32[2x3] = ReduceMean(%x) {axes = [1, -1], keepdims = 0} "a"
  output %a)",
     "Reshape 2x3"},
    {"reduce-over-unit-axes", R"(
  input %x: float16[2x1]
  %n: float16[2x1] = Neg(%x) "n"
  %a: float16[2x1] = ReduceLogSumExp(%n) {axes = [1]} "a"
  output %a)",
     "Neg 2x1"},
    {"reduce-over-unit-axes", R"(
  input %x: int64[1]
  %a: int64[] = ReduceProd(%x) {keepdims = 0} "a"
  output %a)",
     "Reshape scalar"},
    {"reduce-over-unit-axes", R"(
  input %x: float32[2x1]
  %a: float32[1x1] = ReduceSum(%x) "a"
  output %a)"},
    // A mean of integers passes through float64, and a logarithm rounds.
    {"reduce-over-unit-axes", R"(
  input %x: int64[2x1]
  %a: int64[2] = ReduceMean(%x) {axes = [1], keepdims = 0} "a"
  output %a)"},
    {"reduce-over-unit-axes", R"(
  input %x: int32[2x1]
  %a: int32[2] = ReduceLogSumExp(%x) {axes = [1], keepdims = 0} "a"
  output %a)"},

    {"norm-over-unit-axes", R"(
  input %x: float32[2x1]
  %a: float32[2] = ReduceL1(%x) {axes = [1], keepdims = 0} "a"
  output %a)",
     "Abs 2x1, Reshape 2"},
    {"square-over-unit-axes", R"(
  input %x: float32[2x1]
  %a: float32[2x1] = ReduceSumSquare(%x) {axes = [1]} "a"
  output %a)",
     "Mul 2x1"},
    {"unit-axes-left-out", R"(
  input %x: float32[1x3x4]
  %a: float32[1x1x4] = ReduceL2(%x) {axes = [0, 1]} "a"
  output %a)",
     "ReduceL2 1x1x4"},
    {"unit-axes-left-out", R"(
  input %x: float32[1x3x4]
  %a: float32[4] = ReduceL2(%x) {axes = [0, 1], keepdims = 0} "a"
  output %a)"},
    {"explicit-axes", R"(
  input %x: float32[2x3]
  %a: float32[1x1] = ReduceSum(%x) "a"
  %b: float32[2] = ReduceMax(%x) {axes = [-1], keepdims = 0} "b"
  output %a
  output %b)",
     "ReduceSum 1x1, ReduceMax 2"},

    {"pool-of-single-pixel", R"(
  input %x: float32[2x3x1x1]
  %n: float32[2x3x1x1] = Neg(%x) "n"
  %a: float32[2x3x1x1] = GlobalAveragePool(%n) "a"
  output %a)",
     "Neg 2x3x1x1"},
    {"pool-of-one-element", R"(
  input %x: float32[1x2x3x3]
  %n: float32[1x2x3x3] = Neg(%x) "n"
  %a: float32[1x2x3x3] = MaxPool(%n) {kernel_shape = [1, 1]} "a"
  %b: float32[1x2x3x3] = AveragePool(%a) {kernel_shape = [1, 1], strides = [1, 1], auto_pad = "SAME_UPPER"} "b"
  output %b)",
     "Neg 1x2x3x3"},
    {"pool-of-one-element", R"(
  input %x: float32[1x2x3x3]
  %n: float32[1x2x3x3] = Neg(%x) "n"
  %a: float32[1x2x2x2] = MaxPool(%n) {kernel_shape = [1, 1], strides = [2, 2]} "a"
  output %a)"},
    // Where each element was is asked for as well.
    {"pool-of-one-element", R"(
  input %x: float32[1x2x3x3]
  %n: float32[1x2x3x3] = Neg(%x) "n"
  %a: float32[1x2x3x3], %b: int64[1x2x3x3] = MaxPool(%n) {kernel_shape = [1, 1]} "a"
  output %a
  output %b)"},

    {"arg-over-unit-axis", R"(
  input %x: float32[3x1]
  %a: int64[3] = ArgMax(%x) {axis = 1, keepdims = 0} "a"
  output %a)",
     "Expand 3"},
    {"cumulative-sum-over-unit-axis", R"(
  input %x: float32[3x1]
  %n: float32[3x1] = Neg(%x) "n"
  %a: float32[3x1] = CumSum(%n) {axis = -1, reverse = 1} "a"
  output %a)",
     "Neg 3x1"},
    {"cumulative-sum-over-unit-axis", R"(
  input %x: float32[3x1]
  %n: float32[3x1] = Neg(%x) "n"
  %a: float32[3x1] = CumSum(%n) {axis = 1, exclusive = 1} "a"
  output %a)"},
    {"softmax-over-unit-axis", R"(
  input %x: float32[3x1]
  %a: float32[3x1] = Softmax(%x) "a"
  %b: float32[3x1] = LogSoftmax(%x) {axis = 1, flatten = 1} "b"
  output %a
  output %b)",
     "Expand 3x1, Expand 3x1"},
    {"softmax-over-unit-axis", R"(
  input %x: float32[3x1x2]
  %a: float32[3x1x2] = Softmax(%x) {axis = 1, flatten = 1} "a"
  output %a)"},

    {"maximum-of-maximum", R"(
  input %x: float32[2x3x4x5]
  %a: float32[2x3x5] = ReduceMax(%x) {axes = [2], keepdims = 0} "a"
  %b: float32[2x3] = ReduceMax(%a) {axes = [2], keepdims = 0} "b"
  output %b)",
     "ReduceMax 2x3"},
    // The axes that the second one sees are those the first one left.
    {"maximum-of-maximum", R"(
  input %x: float32[2x3x4]
  %a: float32[3x4] = ReduceMin(%x) {axes = [0], keepdims = 0} "a"
  %b: float32[1x4] = ReduceMin(%a) {axes = [0]} "b"
  output %b)",
     "ReduceMin 4, Reshape 1x4"},
    {"maximum-of-maximum", R"(
  input %x: float32[2x3]
  %a: float32[2x1] = ReduceMax(%x) {axes = [1]} "a"
  %b: float32[1x1] = ReduceMax(%a) "b"
  output %b)",
     "ReduceMax 1x1"},
    {"maximum-of-maximum", R"(
  input %x: float32[2x3]
  %a: float32[2x1] = ReduceMin(%x) {axes = [1]} "a"
  %b: float32[1x1] = ReduceMax(%a) "b"
  output %b)"},
    {"maximum-of-maximum", R"(
  input %x: float32[2x3]
  %a: float32[2x1] = ReduceMax(%x) {axes = [1]} "a"
  %b: float32[1x1] = ReduceMax(%a) "b"
  output %a
  output %b)"},
    {"integer-sum-of-sum", R"(
  input %x: int8[2x3x4]
  %a: int8[2x3] = ReduceProd(%x) {axes = [2], keepdims = 0} "a"
  %b: int8[2] = ReduceProd(%a) {axes = [1], keepdims = 0} "b"
  output %b)",
     "ReduceProd 2"},
    {"integer-sum-of-sum", R"(
  input %x: float32[2x3x4]
  %a: float32[2x3] = ReduceSum(%x) {axes = [2], keepdims = 0} "a"
  %b: float32[2] = ReduceSum(%a) {axes = [1], keepdims = 0} "b"
  output %b)"},
    {"sum-of-sum", R"(
  input %x: float32[2x3x4]
  %a: float32[2x1x4] = ReduceMean(%x) {axes = [1]} "a"
  %b: float32[2x1x1] = ReduceMean(%a) {axes = [2]} "b"
  output %b)",
     "ReduceMean 2x1x1"},
    // The first mean is rounded to an integer.
    {"sum-of-sum", R"(
  input %x: int32[2x3x4]
  %a: int32[2x1x4] = ReduceMean(%x) {axes = [1]} "a"
  %b: int32[2x1x1] = ReduceMean(%a) {axes = [2]} "b"
  output %b)"},

    {"squeeze-of-reduction", R"(
  input %x: float32[2x3x4]
  %a: float32[2x1x1] = ReduceMean(%x) {axes = [1, 2]} "a"
  %b: float32[2] = Reshape(%a) {shape = [-1]} "b"
  output %b)",
     "ReduceMean 2"},
    {"squeeze-of-reduction", R"(
  input %x: float32[2x3x4]
  %a: int64[2x1x4] = ArgMin(%x) {axis = 1} "a"
  %b: int64[2x4] = Squeeze(%a) "b"
  output %b)",
     "ArgMin 2x4"},
    // One axis of two.
    {"squeeze-of-reduction", R"(
  input %x: float32[2x3x4]
  %a: float32[2x1x1] = ReduceMean(%x) {axes = [1, 2]} "a"
  %b: float32[2x1] = Squeeze(%a) {axes = [2]} "b"
  output %b)"},
    {"unsqueeze-of-reduction", R"(
  input %x: float32[2x3x4]
  %a: float32[3] = ReduceMean(%x) {axes = [0, 2], keepdims = 0} "a"
  %b: float32[1x3x1] = Unsqueeze(%a) {axes = [0, 2]} "b"
  output %b)",
     "ReduceMean 1x3x1"},
    {"unsqueeze-of-reduction", R"(
  input %x: float32[2x3x4]
  %a: float32[3] = ReduceMean(%x) {axes = [0, 2], keepdims = 0} "a"
  %b: float32[1x1x3] = Unsqueeze(%a) {axes = [0, 1]} "b"
  output %b)"},

    {"reduce-of-transpose", R"(
  input %x: float32[2x3x4]
  %t: float32[4x2x3] = Transpose(%x) {perm = [2, 0, 1]} "t"
  %a: float32[4] = ReduceSum(%t) {axes = [1, 2], keepdims = 0} "a"
  output %a)",
     "ReduceSum 4"},
    {"reduce-of-transpose", R"(
  input %x: float32[2x3x4x5]
  %t: float32[4x5x3x2] = Transpose(%x) {perm = [2, 3, 1, 0]} "t"
  %a: float32[4x5x2] = ReduceSum(%t) {axes = [2], keepdims = 0} "a"
  output %a)",
     "ReduceSum 2x4x5, Transpose 4x5x2"},
    {"reduce-of-transpose", R"(
  input %x: float32[2x3x4]
  %t: float32[4x3x2] = Transpose(%x) {perm = [2, 1, 0]} "t"
  %a: float32[1x1x2] = ReduceMax(%t) {axes = [0, 1]} "a"
  output %a)",
     "ReduceMax 2x1x1, Reshape 1x1x2"},
    {"reduce-of-transpose", R"(
  input %x: float32[2x3x4]
  %t: float32[4x3x2] = Transpose(%x) {perm = [2, 1, 0]} "t"
  %a: float32[4x1x2] = ReduceL1(%t) {axes = [1]} "a"
  output %a)",
     "ReduceL1 2x1x4, Transpose 4x1x2"},
    {"reduce-of-transpose", R"(
  input %x: float32[2x3x4]
  %t: float32[4x3x2] = Transpose(%x) {perm = [2, 1, 0]} "t"
  %a: float32[2] = ReduceSum(%t) {axes = [0, 1], keepdims = 0} "a"
  output %a)"},
    {"reordered-reduce-of-transpose", R"(
  input %x: float32[2x3x4]
  %t: float32[4x3x2] = Transpose(%x) {perm = [2, 1, 0]} "t"
  %a: float32[2] = ReduceSum(%t) {axes = [0, 1], keepdims = 0} "a"
  output %a)",
     "ReduceSum 2"},

    {"maximum-of-expand", R"(
  input %x: float32[3x1]
  %e: float32[2x3x4] = Expand(%x) {shape = [2, 3, 4]} "e"
  %a: float32[2x3x1] = ReduceMax(%e) {axes = [2]} "a"
  output %a)",
     "Reshape 1x3x1, ReduceMax 1x3x1, Expand 2x3x1"},
    {"maximum-of-expand", R"(
  input %x: float32[1x3]
  %e: float32[2x3] = Expand(%x) {shape = [2, 3]} "e"
  %a: float32[] = ReduceMin(%e) {keepdims = 0} "a"
  output %a)",
     "ReduceMin scalar"},
    // Nothing is left to be the greatest.
    {"maximum-of-expand", R"(
  input %x: float32[1x3]
  %e: float32[0x3] = Expand(%x) {shape = [0, 3]} "e"
  %a: float32[3] = ReduceMax(%e) {axes = [0], keepdims = 0} "a"
  output %a)"},
    {"mean-of-expand", R"(
  input %x: float32[1x3]
  %e: float32[2x3] = Expand(%x) {shape = [2, 3]} "e"
  %a: float32[2] = ReduceMean(%e) {axes = [1], keepdims = 0} "a"
  output %a)",
     "ReduceMean 1, Expand 2"},
};

class ReductionRule : public ::testing::TestWithParam<RuleCase> {};
TEST_P(ReductionRule, DoesWhatItSaysAndKeepsTheMeaning) { test::check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, ReductionRule, ::testing::ValuesIn(reduction_cases));

TEST(ReductionRules, EachHasACase) {
  test::expect_a_case_for_each(passes::rules::reduction_rules(), reduction_cases);
}

}  // namespace
}  // namespace loopglass
