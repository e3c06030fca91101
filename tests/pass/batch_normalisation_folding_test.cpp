// Folding of batch normalisations into the weights beside them.
#include "tests/pass/before_after.h"

namespace loopglass::testing {
namespace {

class BatchNormalisationFolding : public ::testing::TestWithParam<Situation> {};
TEST_P(BatchNormalisationFolding, KeepsTheMeaning) { check(GetParam()); }

constexpr const char* batch_norm = "fold-batch-norm";

// gamma / sqrt(variance) is 2 and 3, the offsets are 1 - 1 * 2 and 2 - 2 * 3.
INSTANTIATE_TEST_SUITE_P(
    All, BatchNormalisationFolding,
    ::testing::Values(
        Situation{"Output channels of a transposed convolution count within its groups.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float32[1x2x2x2]
  const %w: float32[2x1x1x1] = [1, 2]
  const %scale: float32[2] = [4, 9]
  const %shift: float32[2] = [1, 2]
  const %mean: float32[2] = [1, 2]
  const %var: float32[2] = [4, 9]
  %c: float32[1x2x3x3] = ConvTranspose(%x, %w) {group = 2, strides = [2, 2]} "conv" from 0
  %y: float32[1x2x3x3] = BatchNormalization(%c, %scale, %shift, %mean, %var) {epsilon = 0} "bn" from 1
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x2x2x2]
  const %conv_folded_weight: float32[2x1x1x1] = [2, 6]
  const %conv_folded_bias: float32[2] = [-1, -4]
  %y: float32[1x2x3x3] = ConvTranspose(%x, %conv_folded_weight, %conv_folded_bias) {group = 2, strides = [2, 2]} "conv" from 0, 1
  output %y
}
)"},
        Situation{"A general matrix product keeps its alpha and gives up its beta.", batch_norm,
                  R"(graph "g" {
  input %x: float32[3x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %c: float32[] = [8]
  const %scale: float32[2] = [4, 9]
  const %shift: float32[2] = [1, 2]
  const %mean: float32[2] = [1, 2]
  const %var: float32[2] = [4, 9]
  %g: float32[3x2] = Gemm(%x, %w, %c) {alpha = 0.5, beta = 0.25, transB = 1} "gemm"
  %y: float32[3x2] = BatchNormalization(%g, %scale, %shift, %mean, %var) {epsilon = 0} "bn"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[3x2]
  const %gemm_folded_weight: float32[2x2] = [2, 4, 9, 12]
  const %gemm_folded_bias: float32[2] = [3, 2]
  %y: float32[3x2] = Gemm(%x, %gemm_folded_weight, %gemm_folded_bias) {alpha = 0.5, transB = 1} "gemm"
  output %y
}
)"},
        Situation{"A matrix product takes no bias; what is left of the normalisation is a sum.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float32[3x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %scale: float32[2] = [4, 9]
  const %shift: float32[2] = [1, 2]
  const %mean: float32[2] = [1, 2]
  const %var: float32[2] = [4, 9]
  %m: float32[3x2] = MatMul(%x, %w) "matmul"
  %y: float32[3x2] = BatchNormalization(%m, %scale, %shift, %mean, %var) {epsilon = 0} "bn"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[3x2]
  const %matmul_folded_weight: float32[2x2] = [2, 6, 6, 12]
  const %bn_folded_bias: float32[2] = [-1, -4]
  %matmul: float32[3x2] = MatMul(%x, %matmul_folded_weight) "matmul"
  %y: float32[3x2] = Add(%matmul, %bn_folded_bias) "bn"
  output %y
}
)"},
        Situation{"Before a convolution without pads: its input channels are scaled, the offsets "
                  "summed into the bias.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float32[1x2x3x3]
  const %scale: float32[2] = [4, 9]
  const %shift: float32[2] = [1, 2]
  const %mean: float32[2] = [1, 2]
  const %var: float32[2] = [4, 9]
  const %w: float32[2x2x1x2] = [1, 2, 3, 4, 5, 6, 7, 8]
  const %b: float32[2] = [0.5, 0.25]
  %n: float32[1x2x3x3] = BatchNormalization(%x, %scale, %shift, %mean, %var) {epsilon = 0} "bn"
  %y: float32[1x2x3x2] = Conv(%n, %w, %b) "conv"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x2x3x3]
  const %conv_folded_weight: float32[2x2x1x2] = [2, 4, 9, 12, 10, 12, 21, 24]
  const %conv_folded_bias: float32[2] = [-30.5, -70.75]
  %y: float32[1x2x3x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias) "conv"
  output %y
}
)"},
        Situation{"Pads are zero after the normalisation, so its offsets cannot go past them.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  const %v: float32[1] = [4]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %n: float32[1x1x3x3] = BatchNormalization(%x, %v, %v, %v, %v) "bn"
  %y: float32[1x1x4x4] = Conv(%n, %w) {pads = [1, 1, 1, 1]} "conv"
  output %y
}
)",
                  nullptr,
                  {"PADDING_NOT_SHIFTED"}},
        Situation{"A chain goes link by link into the weights at its head.", batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [3]
  const %zero: float32[1] = [0]
  const %one: float32[1] = [1]
  const %two: float32[1] = [2]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %m: float32[1x1x2x2] = BatchNormalization(%c, %two, %one, %zero, %one) {epsilon = 0} "first"
  %y: float32[1x1x2x2] = BatchNormalization(%m, %two, %one, %zero, %one) {epsilon = 0} "second"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %conv_folded_weight_1: float32[1x1x1x1] = [12]
  const %conv_folded_bias_1: float32[1] = [3]
  %y: float32[1x1x2x2] = Conv(%x, %conv_folded_weight_1, %conv_folded_bias_1) "conv"
  output %y
}
)"},
        Situation{"Weights that others use as well get a folded copy.", batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [3]
  const %zero: float32[1] = [0]
  const %one: float32[1] = [1]
  const %two: float32[1] = [2]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %y: float32[1x1x2x2] = BatchNormalization(%c, %two, %one, %zero, %one) {epsilon = 0} "bn"
  %r: float32[1x1x2x2] = Relu(%x) "r"
  %z: float32[1x1x2x2] = Conv(%r, %w) "other"
  output %y
  output %z
}
)",
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [3]
  const %conv_folded_weight: float32[1x1x1x1] = [6]
  const %conv_folded_bias: float32[1] = [1]
  %r: float32[1x1x2x2] = Relu(%x) "r"
  %z: float32[1x1x2x2] = Conv(%r, %w) "other"
  %y: float32[1x1x2x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias) "conv"
  output %y
  output %z
}
)"},
        Situation{"A normalisation beside no weights stays.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %v: float32[1] = [4]
  %r: float32[1x1x2x2] = Relu(%x) "r"
  %n: float32[1x1x2x2] = BatchNormalization(%r, %v, %v, %v, %v) "bn"
  output %n
}
)",
                  nullptr,
                  {"NO_WEIGHTS_BESIDE"}},
        Situation{"Its own parameters must be known.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  input %v: float32[1]
  const %w: float32[1x1x1x1] = [3]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %n: float32[1x1x2x2] = BatchNormalization(%c, %v, %v, %v, %v) "bn"
  output %n
}
)",
                  nullptr,
                  {"PARAMETERS_NOT_CONSTANT"}},
        Situation{"So must the weights.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  input %w: float32[1x1x1x1]
  const %v: float32[1] = [4]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %n: float32[1x1x2x2] = BatchNormalization(%c, %v, %v, %v, %v) "bn"
  output %n
}
)",
                  nullptr,
                  {"WEIGHTS_NOT_CONSTANT"}},
        Situation{"A variance of zero and no epsilon make an infinite factor, which no weight can "
                  "take in.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [0]
  const %one: float32[1] = [1]
  const %zero: float32[1] = [0]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %n: float32[1x1x2x2] = BatchNormalization(%c, %one, %zero, %zero, %zero) {epsilon = 0} "bn"
  %y: float32[1x1x2x2] = Relu(%x) "y"
  output %y
}
)",
                  nullptr,
                  {"NOT_FINITE"}},
        Situation{"The sum after a matrix product counts as its bias.", batch_norm,
                  R"(graph "g" {
  input %x: float32[3x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %b: float32[2] = [10, 20]
  const %scale: float32[2] = [4, 9]
  const %shift: float32[2] = [1, 2]
  const %mean: float32[2] = [1, 2]
  const %var: float32[2] = [4, 9]
  %m: float32[3x2] = MatMul(%x, %w) "matmul"
  %a: float32[3x2] = Add(%m, %b) "add"
  %y: float32[3x2] = BatchNormalization(%a, %scale, %shift, %mean, %var) {epsilon = 0} "bn"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[3x2]
  const %matmul_folded_weight: float32[2x2] = [2, 6, 6, 12]
  const %bn_folded_bias: float32[2] = [19, 56]
  %matmul: float32[3x2] = MatMul(%x, %matmul_folded_weight) "matmul"
  %y: float32[3x2] = Add(%matmul, %bn_folded_bias) "bn"
  output %y
}
)"},
        Situation{"Weights of half precision are scaled in double precision, and rounded once.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float16[1x1x2x2]
  const %w: float16[1x1x1x1] = [0.25]
  const %zero: float16[1] = [0]
  const %one: float16[1] = [1]
  const %four: float16[1] = [4]
  %c: float16[1x1x2x2] = Conv(%x, %w) "conv"
  %y: float16[1x1x2x2] = BatchNormalization(%c, %four, %one, %zero, %four) {epsilon = 0} "bn"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float16[1x1x2x2]
  const %conv_folded_weight: float16[1x1x1x1] = [0.5]
  const %conv_folded_bias: float16[1] = [1]
  %y: float16[1x1x2x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias) "conv"
  output %y
}
)"},
        Situation{"They must fit half precision's range.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float16[1x1x2x2]
  const %w: float16[1x1x1x1] = [512]
  const %zero: float16[1] = [0]
  const %one: float16[1] = [1]
  const %large: float16[1] = [256]
  %c: float16[1x1x2x2] = Conv(%x, %w) "conv"
  %n: float16[1x1x2x2] = BatchNormalization(%c, %large, %zero, %zero, %one) {epsilon = 0} "bn"
  %y: float16[1x1x2x2] = Relu(%x) "y"
  output %y
}
)",
                  nullptr,
                  {"NOT_FINITE"}},
        Situation{"Nor may they lose their digits.",
                  batch_norm,
                  R"(graph "g" {
  input %x: float16[1x1x2x2]
  const %w: float16[1x1x1x1] = [0.0009765625]
  const %zero: float16[1] = [0]
  const %one: float16[1] = [1]
  const %small: float16[1] = [0.03125]
  %c: float16[1x1x2x2] = Conv(%x, %w) "conv"
  %y: float16[1x1x2x2] = BatchNormalization(%c, %small, %zero, %zero, %one) {epsilon = 0} "bn"
  output %y
}
)",
                  nullptr,
                  {"UNDERFLOW"}}));

}  // namespace
}  // namespace loopglass::testing
