// Folding of batch normalisations, scales, biases and pads into the weights and windows beside them.
#include "tests/pass/before_after.h"

namespace loopglass::testing {
namespace {

class Folding : public ::testing::TestWithParam<Situation> {};
TEST_P(Folding, KeepsTheMeaning) { check(GetParam()); }

constexpr const char* batch_norm = "fold-batch-norm";

// gamma / sqrt(variance) is 2 and 3, the offsets are 1 - 1 * 2 and 2 - 2 * 3.
INSTANTIATE_TEST_SUITE_P(
    BatchNormalisation, Folding,
    ::testing::Values(
        Situation{"Output channels of a transposed convolution count within its groups.", batch_norm,
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
        Situation{"A matrix product takes no bias; what is left of the normalisation is a sum.", batch_norm,
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
        Situation{"Before a convolution without pads: its input channels are scaled, the offsets summed into the bias.", batch_norm,
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
        Situation{"Pads are zero after the normalisation, so its offsets cannot go past them.", batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  const %v: float32[1] = [4]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %n: float32[1x1x3x3] = BatchNormalization(%x, %v, %v, %v, %v) "bn"
  %y: float32[1x1x4x4] = Conv(%n, %w) {pads = [1, 1, 1, 1]} "conv"
  output %y
}
)",
                  nullptr, {"PADDING_NOT_SHIFTED"}},
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
        Situation{"A normalisation beside no weights stays.", batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %v: float32[1] = [4]
  %r: float32[1x1x2x2] = Relu(%x) "r"
  %n: float32[1x1x2x2] = BatchNormalization(%r, %v, %v, %v, %v) "bn"
  output %n
}
)",
                  nullptr, {"NO_WEIGHTS_BESIDE"}},
        Situation{"Its own parameters must be known.", batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  input %v: float32[1]
  const %w: float32[1x1x1x1] = [3]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %n: float32[1x1x2x2] = BatchNormalization(%c, %v, %v, %v, %v) "bn"
  output %n
}
)",
                  nullptr, {"PARAMETERS_NOT_CONSTANT"}},
        Situation{"So must the weights.", batch_norm,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  input %w: float32[1x1x1x1]
  const %v: float32[1] = [4]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %n: float32[1x1x2x2] = BatchNormalization(%c, %v, %v, %v, %v) "bn"
  output %n
}
)",
                  nullptr, {"WEIGHTS_NOT_CONSTANT"}},
        Situation{"A variance of zero and no epsilon make an infinite factor, which no weight can take in.", batch_norm,
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
                  nullptr, {"NOT_FINITE"}},
        Situation{"Half precision would round the weights a second time.", batch_norm,
                  R"(graph "g" {
  input %x: float16[1x1x2x2]
  const %w: float16[1x1x1x1] = [1]
  const %v: float16[1] = [4]
  %c: float16[1x1x2x2] = Conv(%x, %w) "conv"
  %n: float16[1x1x2x2] = BatchNormalization(%c, %v, %v, %v, %v) "bn"
  output %n
}
)",
                  nullptr, {"ELEMENT_TYPE"}}));

constexpr const char* scale = "fold-scale-and-bias";

INSTANTIATE_TEST_SUITE_P(
    ScaleAndBias, Folding,
    ::testing::Values(
        Situation{"(x w + 1) * f - 2: a scale a channel and numbers for all channels.", scale,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[2x1x1x1] = [1, 2]
  const %one: float32[] = [1]
  const %f: float32[2x1x1] = [2, 4]
  const %two: float32[1] = [2]
  %c: float32[1x2x2x2] = Conv(%x, %w) "conv" from 0
  %a: float32[1x2x2x2] = Add(%one, %c) "a" from 1
  %m: float32[1x2x2x2] = Mul(%a, %f) "m" from 2
  %y: float32[1x2x2x2] = Sub(%m, %two) "s" from 3
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %conv_folded_weight: float32[2x1x1x1] = [2, 8]
  const %conv_folded_bias_2: float32[2] = [0, 2]
  %y: float32[1x2x2x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias_2) "conv" from 0, 1, 2, 3
  output %y
}
)"},
        Situation{"1 - x w / 4 turns the weights round.", scale,
                  R"(graph "g" {
  input %x: float32[3x2]
  const %w: float32[2x1] = [4, 8]
  const %one: float32[] = [1]
  const %four: float32[] = [4]
  %g: float32[3x1] = Gemm(%x, %w) "gemm"
  %d: float32[3x1] = Div(%g, %four) "d"
  %y: float32[3x1] = Sub(%one, %d) "s"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[3x2]
  const %gemm_folded_weight_1: float32[2x1] = [-1, -2]
  const %gemm_folded_bias: float32[1] = [1]
  %y: float32[3x1] = Gemm(%x, %gemm_folded_weight_1, %gemm_folded_bias) "gemm"
  output %y
}
)"},
        Situation{"A scale of the input goes past pads, which are zero before and after it.", scale,
                  R"(graph "g" {
  input %x: float32[1x2x2x2]
  const %f: float32[1x2x1x1] = [2, 4]
  const %w: float32[1x2x1x1] = [1, 3]
  %m: float32[1x2x2x2] = Mul(%x, %f) "m"
  %y: float32[1x1x4x4] = Conv(%m, %w) {pads = [1, 1, 1, 1]} "conv"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x2x2x2]
  const %conv_folded_weight: float32[1x2x1x1] = [2, 12]
  %y: float32[1x1x4x4] = Conv(%x, %conv_folded_weight) {pads = [1, 1, 1, 1]} "conv"
  output %y
}
)"},
        Situation{"An offset of the input does not go past them.", scale,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %t: float32[] = [2]
  const %w: float32[1x1x1x1] = [3]
  %a: float32[1x1x2x2] = Add(%x, %t) "a"
  %y: float32[1x1x4x4] = Conv(%a, %w) {pads = [1, 1, 1, 1]} "conv"
  output %y
}
)",
                  nullptr, {"PADDING_NOT_SHIFTED"}},
        Situation{"Input channels of a grouped convolution, last link of the chain first.", scale,
                  R"(graph "g" {
  input %x: float32[1x2x1x1]
  const %f: float32[2x1x1] = [2, 4]
  const %t: float32[2x1x1] = [1, 10]
  const %w: float32[2x1x1x1] = [3, 5]
  %m: float32[1x2x1x1] = Mul(%x, %f) "m"
  %a: float32[1x2x1x1] = Add(%m, %t) "a"
  %y: float32[1x2x1x1] = Conv(%a, %w) {group = 2} "conv"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x2x1x1]
  const %conv_folded_bias: float32[2] = [3, 50]
  const %conv_folded_weight: float32[2x1x1x1] = [6, 20]
  %y: float32[1x2x1x1] = Conv(%x, %conv_folded_weight, %conv_folded_bias) {group = 2} "conv"
  output %y
}
)"},
        Situation{"Rows of a transposed operand are input channels.", scale,
                  R"(graph "g" {
  input %x: float32[2x3]
  const %f: float32[2x1] = [2, 4]
  const %w: float32[2x1] = [1, 3]
  %m: float32[2x3] = Mul(%x, %f) "m"
  %y: float32[3x1] = Gemm(%m, %w) {transA = 1} "gemm"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[2x3]
  const %gemm_folded_weight: float32[2x1] = [2, 12]
  %y: float32[3x1] = Gemm(%x, %gemm_folded_weight) {transA = 1} "gemm"
  output %y
}
)"},
        Situation{"A bias a row and a column is scaled by its columns.", scale,
                  R"(graph "g" {
  input %x: float32[2x1]
  const %w: float32[1x2] = [1, 3]
  const %c: float32[2x1] = [10, 20]
  const %f: float32[2] = [2, 4]
  %g: float32[2x2] = Gemm(%x, %w, %c) "gemm"
  %y: float32[2x2] = Mul(%g, %f) "m"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[2x1]
  const %gemm_folded_weight: float32[1x2] = [2, 12]
  const %gemm_folded_bias: float32[2x2] = [20, 40, 40, 80]
  %y: float32[2x2] = Gemm(%x, %gemm_folded_weight, %gemm_folded_bias) "gemm"
  output %y
}
)"},
        Situation{"The bias of a linear layer without a place for one stays a sum.", scale,
                  R"(graph "g" {
  input %x: float32[1x3x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %b: float32[2] = [1, 2]
  %m: float32[1x3x2] = MatMul(%x, %w) "m"
  %y: float32[1x3x2] = Add(%m, %b) "y"
  output %y
}
)"},
        Situation{"Numbers along another axis than the channels' are no scale of the weights.", scale,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [3]
  const %f: float32[2] = [1, 2]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %y: float32[1x1x2x2] = Mul(%c, %f) "m"
  output %y
}
)",
                  nullptr, {"NOT_PER_CHANNEL"}},
        Situation{"A constant that widens the data is no scale of it.", scale,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [3]
  const %f: float32[2x1x1x1] = [1, 2]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %y: float32[2x1x2x2] = Mul(%c, %f) "m"
  output %y
}
)"},
        Situation{"What is needed without the scale, too, is not scaled.", scale,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [3]
  const %f: float32[] = [2]
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %y: float32[1x1x2x2] = Mul(%c, %f) "m"
  output %c
  output %y
}
)",
                  nullptr, {"INTERMEDIATE_STILL_USED"}},
        Situation{"A bias that is data cannot be scaled ahead of time.", scale,
                  R"(graph "g" {
  input %x: float32[1x1x2x2]
  input %b: float32[1]
  const %w: float32[1x1x1x1] = [3]
  const %f: float32[] = [2]
  %c: float32[1x1x2x2] = Conv(%x, %w, %b) "conv"
  %y: float32[1x1x2x2] = Mul(%c, %f) "m"
  output %y
}
)",
                  nullptr, {"BIAS_NOT_CONSTANT"}},
        Situation{"Scaled weights must fit their type.", scale,
                  R"(graph "g" {
  input %x: float32[1x1x1x1]
  const %w: float32[1x1x1x1] = [1e+30]
  const %f: float32[] = [1e+20]
  %c: float32[1x1x1x1] = Conv(%x, %w) "conv"
  %m: float32[1x1x1x1] = Mul(%c, %f) "m"
  output %m
}
)",
                  nullptr, {"NOT_FINITE"}},
        Situation{"Nor may a channel's weights vanish.", scale,
                  R"(graph "g" {
  input %x: float32[1x1x1x1]
  const %w: float32[1x1x1x1] = [1e-30]
  const %f: float32[] = [1e-20]
  %c: float32[1x1x1x1] = Conv(%x, %w) "conv"
  %m: float32[1x1x1x1] = Mul(%c, %f) "m"
  output %m
}
)",
                  nullptr, {"UNDERFLOW"}},
        Situation{"Integers wrap round; their products are left alone.", scale,
                  R"(graph "g" {
  input %x: int32[2x2]
  const %w: int32[2x2] = [1, 2, 3, 4]
  const %f: int32[] = [2]
  %c: int32[2x2] = MatMul(%x, %w) "c"
  %m: int32[2x2] = Mul(%c, %f) "m"
  output %m
}
)"}));

constexpr const char* padding = "fold-padding";

INSTANTIATE_TEST_SUITE_P(
    Padding, Folding,
    ::testing::Values(
        Situation{"Pads of a convolution add up, one Pad after the other.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %p: float32[1x1x4x3] = Pad(%x) {pads = [0, 0, 1, 0, 0, 0, 0, 0]} "p" from 0
  %q: float32[1x1x4x5] = Pad(%p) {pads = [0, 2], axes = [3]} "q" from 1
  %y: float32[1x1x5x6] = Conv(%q, %w) {pads = [0, 1, 2, 1], strides = [1, 1]} "conv" from 2
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %y: float32[1x1x5x6] = Conv(%x, %w) {pads = [1, 1, 2, 3], strides = [1, 1]} "conv" from 0, 1, 2
  output %y
}
)"},
        Situation{"Pads that auto_pad finds are spelt out.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %p: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1]} "p"
  %y: float32[1x1x5x5] = Conv(%p, %w) {auto_pad = "SAME_UPPER"} "conv"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %y: float32[1x1x5x5] = Conv(%x, %w) {pads = [1, 1, 2, 2]} "conv"
  output %y
}
)"},
        Situation{"A mean counts the zeros of a Pad, so the pads must count, too.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %p: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1]} "p"
  %y: float32[1x1x4x4] = AveragePool(%p) {kernel_shape = [2, 2]} "pool"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %y: float32[1x1x4x4] = AveragePool(%x) {count_include_pad = 1, kernel_shape = [2, 2], pads = [1, 1, 1, 1]} "pool"
  output %y
}
)"},
        Situation{"A mean that leaves its own pads out cannot count others.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %p: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1]} "p"
  %y: float32[1x1x6x6] = AveragePool(%p) {kernel_shape = [2, 2], pads = [1, 1, 1, 1]} "pool"
  output %y
}
)",
                  nullptr, {"PADS_NOT_COUNTED"}},
        Situation{"A maximum pads with minus infinity.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %p: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1], value = -inf} "p"
  %y: float32[1x1x4x4] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %y: float32[1x1x4x4] = MaxPool(%x) {kernel_shape = [2, 2], pads = [1, 1, 1, 1]} "pool"
  output %y
}
)"},
        Situation{"Zeros change the maximum of negative elements.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %p: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1]} "p"
  %y: float32[1x1x4x4] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y
}
)",
                  nullptr, {"PADDING_DIFFERS"}},
        Situation{"They do not change the maximum of what a Relu lets through.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %r: float32[1x1x3x3] = Relu(%x) "r"
  %p: float32[1x1x5x5] = Pad(%r) {pads = [0, 0, 1, 1, 0, 0, 1, 1]} "p"
  %y: float32[1x1x4x4] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y
}
)",
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %r: float32[1x1x3x3] = Relu(%x) "r"
  %y: float32[1x1x4x4] = MaxPool(%r) {kernel_shape = [2, 2], pads = [1, 1, 1, 1]} "pool"
  output %y
}
)"},
        Situation{"But a window that sees nothing but zeros must keep them.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %r: float32[1x1x3x3] = Relu(%x) "r"
  %p: float32[1x1x7x7] = Pad(%r) {pads = [0, 0, 2, 2, 0, 0, 2, 2]} "p"
  %y: float32[1x1x6x6] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y
}
)",
                  nullptr, {"WINDOWS_REFUSED"}},
        Situation{"Where the positions of maxima are wanted, they are positions in the padded tensor.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  %p: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1], value = -inf} "p"
  %y: float32[1x1x4x4], %i: int64[1x1x4x4] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y
  output %i
}
)",
                  nullptr, {"PADS_NOT_COUNTED"}},
        Situation{"Other numbers than zero, mirrors, crops and channels are no pads of a convolution.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x1x1] = [2]
  const %v: float32[1x2x1x1] = [2, 3]
  %p: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1], value = 1} "p"
  %q: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1], mode = "reflect"} "q"
  %r: float32[1x1x1x1] = Pad(%x) {pads = [0, 0, -1, -1, 0, 0, -1, -1]} "r"
  %s: float32[1x2x3x3] = Pad(%x) {pads = [0, 0, 0, 0, 0, 1, 0, 0]} "s"
  %a: float32[1x1x5x5] = Conv(%p, %w) "a"
  %b: float32[1x1x5x5] = Conv(%q, %w) "b"
  %c: float32[1x1x1x1] = Conv(%r, %w) "c"
  %d: float32[1x1x3x3] = Conv(%s, %v) "d"
  output %a
  output %b
  output %c
  output %d
}
)",
                  nullptr, {"NOT_SPATIAL", "CROPS", "NOT_CONSTANT_PADDING", "PADDING_DIFFERS"}},
        Situation{"A padded tensor that others need, too, stays.", padding,
                  R"(graph "g" {
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x1x1] = [2]
  %p: float32[1x1x5x5] = Pad(%x) {pads = [0, 0, 1, 1, 0, 0, 1, 1]} "p"
  %a: float32[1x1x5x5] = Conv(%p, %w) "a"
  output %p
  output %a
}
)",
                  nullptr, {"INTERMEDIATE_STILL_USED"}}));

}  // namespace
}  // namespace loopglass::testing
