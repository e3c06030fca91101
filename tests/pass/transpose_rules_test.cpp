// The rules about Transpose and about depth and space: each at work, and where it must hold back.
#include "passes/graph/rules/families.h"
#include "tests/pass/rule_case.h"

namespace loopglass {
namespace {

using test::RuleCase;

const std::vector<RuleCase> transpose_cases{
    {"transposes-cancel", R"(
  input %x: float32[2x3x4]
  %n: float32[2x3x4] = Neg(%x) "n"
  %a: float32[3x4x2] = Transpose(%n) {perm = [1, 2, 0]} "a"
  %b: float32[2x3x4] = Transpose(%a) {perm = [2, 0, 1]} "b"
  %r: float32[2x3x4] = Relu(%b) "r"
  output %r)",
     "Neg 2x3x4, Relu 2x3x4"},
    // Not each other's inverse, though each is a rotation.
    {"transposes-cancel", R"(
  input %x: float32[2x2x2]
  %n: float32[2x2x2] = Neg(%x) "n"
  %a: float32[2x2x2] = Transpose(%n) {perm = [1, 2, 0]} "a"
  %b: float32[2x2x2] = Transpose(%a) {perm = [1, 2, 0]} "b"
  output %b)"},
    {"transpose-of-transpose", R"(
  input %x: float32[2x3x4x5]
  %a: float32[3x4x5x2] = Transpose(%x) {perm = [1, 2, 3, 0]} "a"
  %b: float32[4x3x2x5] = Transpose(%a) {perm = [1, 0, 3, 2]} "b"
  output %b)",
     "Transpose 4x3x2x5"},

    {"transpose-of-unit-axes", R"(
  input %x: float32[2x1x3x1]
  %t: float32[1x2x3x1] = Transpose(%x) {perm = [1, 0, 2, 3]} "t"
  output %t)",
     "Reshape 1x2x3x1"},
    {"transpose-of-unit-axes", R"(
  input %x: float32[2x1x3x1]
  %t: float32[3x2x1x1] = Transpose(%x) {perm = [2, 0, 1, 3]} "t"
  output %t)"},
    {"explicit-permutation", R"(
  input %x: float32[2x3x4]
  %t: float32[4x3x2] = Transpose(%x) "t"
  output %t)",
     "Transpose 4x3x2"},

    {"transpose-below-unary", R"(
  input %x: float32[2x3x4]
  const %k: float32[1x1] = [2]
  %t: float32[3x4x2] = Transpose(%x) {perm = [1, 2, 0]} "t"
  %m: float32[3x4x2] = Mul(%t, %k) "m"
  %e: float32[3x4x2] = Exp(%m) "e"
  output %e)",
     "Mul 2x3x4, Exp 2x3x4, Transpose 3x4x2"},
    {"transpose-below-unary", R"(
  input %x: float32[2x3]
  %t: float32[3x2] = Transpose(%x) "t"
  %e: float32[3x2] = Exp(%t) "e"
  %f: float32[3x2] = Neg(%t) "f"
  output %e
  output %f)"},

    // Axes of extent 1 broadcast wherever they stand.
    {"transposes-below-elementwise", R"(
  input %x: float32[2x3x4]
  input %y: float32[2x1x4]
  %s: float32[3x4x2] = Transpose(%x) {perm = [1, 2, 0]} "s0"
  %t: float32[1x4x2] = Transpose(%y) {perm = [1, 2, 0]} "t"
  %a: float32[3x4x2] = Add(%s, %t) "a"
  output %a)",
     "Add 2x3x4, Transpose 3x4x2"},
    {"transposes-below-elementwise", R"(
  input %x: float32[2x3]
  input %y: float32[3x2]
  %s: float32[3x2] = Transpose(%x) {perm = [1, 0]} "s0"
  %a: float32[3x2] = Add(%s, %y) "a"
  output %a)"},
    {"transposes-below-elementwise", R"(
  input %x: float32[2x2x2]
  input %y: float32[2x2x2]
  %s: float32[2x2x2] = Transpose(%x) {perm = [1, 2, 0]} "s0"
  %t: float32[2x2x2] = Transpose(%y) {perm = [2, 0, 1]} "t"
  %a: float32[2x2x2] = Add(%s, %t) "a"
  output %a)"},
    // A matrix that broadcasts over a batch: its transposed axes are the last two of three.
    {"transposes-below-elementwise", R"(
  input %x: float32[2x3]
  input %y: float32[2x3]
  input %z: float32[4x3x2]
  %s: float32[3x2] = Transpose(%x) {perm = [1, 0]} "s0"
  %t: float32[3x2] = Transpose(%y) {perm = [1, 0]} "t"
  %a: float32[4x3x2] = Sum(%s, %t, %z) "a"
  output %a)"},

    {"transpose-below-elementwise-with-constant", R"(
  input %x: float32[1x2x3x4]
  const %k: float32[2] = [1, 2]
  %t: float32[1x3x4x2] = Transpose(%x) {perm = [0, 2, 3, 1]} "t"
  %a: float32[1x3x4x2] = Sub(%k, %t) "a"
  output %a)",
     "Sub 1x2x3x4, Transpose 1x3x4x2"},
    {"transpose-below-elementwise-with-constant", R"(
  input %x: int32[2x3]
  const %k: int32[3x2] = [1, 2, 3, 4, 5, 6]
  %t: int32[3x2] = Transpose(%x) {perm = [1, 0]} "t"
  %a: int32[3x2] = Sub(%k, %t) "a"
  output %a)",
     "Sub 2x3, Transpose 3x2"},
    {"transpose-below-elementwise-with-constant", R"(
  input %x: float32[2x3]
  const %k: float32[2x1x1] = [1, 2]
  %t: float32[3x2] = Transpose(%x) {perm = [1, 0]} "t"
  %a: float32[2x3x2] = Sub(%k, %t) "a"
  output %a)"},

    {"transpose-of-expand", R"(
  input %x: float32[3x1]
  %e: float32[2x3x4] = Expand(%x) {shape = [2, 3, 4]} "e"
  %t: float32[3x4x2] = Transpose(%e) {perm = [1, 2, 0]} "t"
  output %t)",
     "Reshape 1x3x1, Transpose 3x1x1, Expand 3x4x2"},
    {"transpose-of-expand", R"(
  input %x: float32[3x1]
  %e: float32[3x4] = Expand(%x) {shape = [3, 4]} "e"
  %t: float32[4x3] = Transpose(%e) "t"
  output %e
  output %t)"},

    {"transpose-into-gemm", R"(
  input %a: float32[3x2]
  input %b: float32[3x4]
  input %c: float32[4]
  %s: float32[2x3] = Transpose(%a) {perm = [1, 0]} "s0"
  %t: float32[4x3] = Transpose(%b) {perm = [1, 0]} "t"
  %g: float32[2x4] = Gemm(%s, %t, %c) {transB = 1, alpha = 0.5} "g"
  output %g)",
     "Gemm 2x4"},
    {"transpose-into-gemm", R"(
  input %a: float32[2x3]
  input %b: float32[3x4]
  input %c: float32[4x2]
  %t: float32[2x4] = Transpose(%c) {perm = [1, 0]} "t"
  %g: float32[2x4] = Gemm(%a, %b, %t) "g"
  output %g)"},
    {"transpose-into-matmul", R"(
  input %a: float32[2x3]
  input %b: float32[4x3]
  %t: float32[3x4] = Transpose(%b) {perm = [1, 0]} "t"
  %m: float32[2x4] = MatMul(%a, %t) "m"
  output %m)",
     "Gemm 2x4"},
    {"transpose-into-matmul", R"(
  input %a: int32[3x2]
  input %b: int32[3x4]
  %t: int32[2x3] = Transpose(%a) {perm = [1, 0]} "t"
  %m: int32[2x4] = MatMul(%t, %b) "m"
  output %m)",
     "Gemm 2x4"},
    // Gemm has no batches and no vectors.
    {"transpose-into-matmul", R"(
  input %a: float32[3]
  input %b: float32[4x3]
  %t: float32[3x4] = Transpose(%b) {perm = [1, 0]} "t"
  %m: float32[4] = MatMul(%a, %t) "m"
  output %m)"},
    {"product-of-transposes", R"(
  input %a: float32[5x3x2]
  input %b: float32[2x5x4x3]
  %s: float32[5x2x3] = Transpose(%a) {perm = [0, 2, 1]} "s0"
  %t: float32[2x5x3x4] = Transpose(%b) {perm = [0, 1, 3, 2]} "t"
  %m: float32[2x5x2x4] = MatMul(%s, %t) "m"
  output %m)",
     "MatMul 2x5x4x2, Transpose 2x5x2x4"},
    {"product-of-transposes", R"(
  input %a: float32[2x2x3]
  input %b: float32[2x3x2]
  %s: float32[2x2x3] = Transpose(%a) {perm = [1, 0, 2]} "s0"
  %t: float32[2x3x2] = Transpose(%b) {perm = [2, 1, 0]} "t"
  %m: float32[2x2x2] = MatMul(%s, %t) "m"
  output %m)"},

    {"blocks-of-one-pixel", R"(
  input %x: float32[1x2x4x6]
  %n: float32[1x2x4x6] = Neg(%x) "n"
  %a: float32[1x2x4x6] = SpaceToDepth(%n) {blocksize = 1} "a"
  %b: float32[1x2x4x6] = DepthToSpace(%a) {blocksize = 1} "b"
  output %b)",
     "Neg 1x2x4x6"},
    {"blocks-of-one-pixel", R"(
  input %x: float32[1x2x4x6]
  %a: float32[1x8x2x3] = SpaceToDepth(%x) {blocksize = 2} "a"
  output %a)"},
    {"depth-and-space-cancel", R"(
  input %x: float32[1x2x4x6]
  %n: float32[1x2x4x6] = Neg(%x) "n"
  %a: float32[1x8x2x3] = SpaceToDepth(%n) {blocksize = 2} "a"
  %b: float32[1x2x4x6] = DepthToSpace(%a) {blocksize = 2} "b"
  output %b)",
     "Neg 1x2x4x6"},
    {"depth-and-space-cancel", R"(
  input %x: float32[1x8x2x3]
  %n: float32[1x8x2x3] = Neg(%x) "n"
  %a: float32[1x2x4x6] = DepthToSpace(%n) {blocksize = 2} "a"
  %b: float32[1x8x2x3] = SpaceToDepth(%a) {blocksize = 2} "b"
  output %b)",
     "Neg 1x8x2x3"},
    // The other order of channels.
    {"depth-and-space-cancel", R"(
  input %x: float32[1x8x2x3]
  %n: float32[1x8x2x3] = Neg(%x) "n"
  %a: float32[1x2x4x6] = DepthToSpace(%n) {blocksize = 2, mode = "CRD"} "a"
  %b: float32[1x8x2x3] = SpaceToDepth(%a) {blocksize = 2} "b"
  output %b)"},
};

class TransposeRule : public ::testing::TestWithParam<RuleCase> {};
TEST_P(TransposeRule, DoesWhatItSaysAndKeepsTheMeaning) { test::check(GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, TransposeRule, ::testing::ValuesIn(transpose_cases));

TEST(TransposeRules, EachHasACase) {
  test::expect_a_case_for_each(passes::rules::transpose_rules(), transpose_cases);
}

}  // namespace
}  // namespace loopglass
