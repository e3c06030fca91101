// Folding of batch normalisations into the weights beside them.
#include "tests/pass/before_after.h"

#include <fmt/format.h>

namespace loopglass::test {
namespace {

class BatchNormalisationFolding : public ::testing::TestWithParam<Situation> {};
TEST_P(BatchNormalisationFolding, KeepsTheMeaning) { check(GetParam()); }

constexpr const char* batch_norm = "fold-batch-norm";

// A constant, or an input of the network where there are no numbers.
std::string given(const char* name, const std::string& type, const char* numbers) {
  return *numbers ? fmt::format("const %{}: {} = [{}]\n", name, type, numbers)
                  : fmt::format("input %{}: {}\n", name, type);
}

// gamma / sqrt(variance) is 2 and 3, the offsets are 1 - 1 * 2 and 2 - 2 * 3.
const std::string two_channels = R"(
  const %gamma: float32[2] = [4, 9]
  const %beta: float32[2] = [1, 2]
  const %mean: float32[2] = [1, 2]
  const %variance: float32[2] = [4, 9])";

// An image of one channel goes through a convolution of one weight, %c, which is normalised.
struct OneChannel {
  const char* type = "float32";
  const char *weight = "3", *gamma = "2", *beta = "1", *mean = "0", *variance = "1";
  const char* attributes = "epsilon = 0";
  const char* result = "y";
};
std::string normalised(const OneChannel& by) {
  const std::string channel = fmt::format("{}[1]", by.type);
  const std::string image = fmt::format("{}[1x1x2x2]", by.type);
  return given("x", image, "") + given("w", fmt::format("{}[1x1x1x1]", by.type), by.weight) +
         given("gamma", channel, by.gamma) + given("beta", channel, by.beta) +
         given("mean", channel, by.mean) + given("variance", channel, by.variance) +
         fmt::format(R"(
  %c: {0} = Conv(%x, %w) "conv"
  %{1}: {0} = BatchNormalization(%c, %gamma, %beta, %mean, %variance) {{{2}}} "bn")",
                     image, by.result, by.attributes);
}

INSTANTIATE_TEST_SUITE_P(
    All, BatchNormalisationFolding,
    ::testing::Values(
        Situation{"gamma / sqrt(variance) scales weights and bias, channel by channel.", batch_norm,
                  two_channels + R"(
  input %x: float32[1x1x2x2]
  const %w: float32[2x1x1x1] = [1, 2]
  const %b: float32[2] = [10, 20]
  %c: float32[1x2x2x2] = Conv(%x, %w, %b) "conv" from 0
  %y: float32[1x2x2x2] = BatchNormalization(%c, %gamma, %beta, %mean, %variance) {epsilon = 0} "bn" from 1
  output %y)",
                  R"(
  input %x: float32[1x1x2x2]
  const %conv_folded_weight: float32[2x1x1x1] = [2, 6]
  const %conv_folded_bias: float32[2] = [19, 56]
  %y: float32[1x2x2x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias) "conv" from 0, 1
  output %y)"},
        Situation{"Output channels of a transposed convolution count within its groups.",
                  batch_norm, two_channels + R"(
  input %x: float32[1x2x2x2]
  const %w: float32[2x1x1x1] = [1, 2]
  %c: float32[1x2x3x3] = ConvTranspose(%x, %w) {group = 2, strides = [2, 2]} "conv" from 0
  %y: float32[1x2x3x3] = BatchNormalization(%c, %gamma, %beta, %mean, %variance) {epsilon = 0} "bn" from 1
  output %y)",
                  R"(
  input %x: float32[1x2x2x2]
  const %conv_folded_weight: float32[2x1x1x1] = [2, 6]
  const %conv_folded_bias: float32[2] = [-1, -4]
  %y: float32[1x2x3x3] = ConvTranspose(%x, %conv_folded_weight, %conv_folded_bias) {group = 2, strides = [2, 2]} "conv" from 0, 1
  output %y)"},
        Situation{"A general matrix product keeps its alpha and gives up its beta.", batch_norm,
                  two_channels + R"(
  input %x: float32[3x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %c: float32[] = [8]
  %g: float32[3x2] = Gemm(%x, %w, %c) {alpha = 0.5, beta = 0.25, transB = 1} "gemm"
  %y: float32[3x2] = BatchNormalization(%g, %gamma, %beta, %mean, %variance) {epsilon = 0} "bn"
  output %y)",
                  R"(
  input %x: float32[3x2]
  const %gemm_folded_weight: float32[2x2] = [2, 4, 9, 12]
  const %gemm_folded_bias: float32[2] = [3, 2]
  %y: float32[3x2] = Gemm(%x, %gemm_folded_weight, %gemm_folded_bias) {alpha = 0.5, transB = 1} "gemm"
  output %y)"},
        Situation{"A matrix product takes no bias; what is left of the normalisation is a sum.",
                  batch_norm, two_channels + R"(
  input %x: float32[3x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  %m: float32[3x2] = MatMul(%x, %w) "matmul"
  %y: float32[3x2] = BatchNormalization(%m, %gamma, %beta, %mean, %variance) {epsilon = 0} "bn"
  output %y)",
                  R"(
  input %x: float32[3x2]
  const %matmul_folded_weight: float32[2x2] = [2, 6, 6, 12]
  const %bn_folded_bias: float32[2] = [-1, -4]
  %matmul: float32[3x2] = MatMul(%x, %matmul_folded_weight) "matmul"
  %y: float32[3x2] = Add(%matmul, %bn_folded_bias) "bn"
  output %y)"},
        Situation{"Before a convolution without pads: its input channels are scaled, the offsets "
                  "summed into the bias.",
                  batch_norm, two_channels + R"(
  input %x: float32[1x2x3x3]
  const %w: float32[2x2x1x2] = [1, 2, 3, 4, 5, 6, 7, 8]
  const %b: float32[2] = [0.5, 0.25]
  %n: float32[1x2x3x3] = BatchNormalization(%x, %gamma, %beta, %mean, %variance) {epsilon = 0} "bn"
  %y: float32[1x2x3x2] = Conv(%n, %w, %b) "conv"
  output %y)",
                  R"(
  input %x: float32[1x2x3x3]
  const %conv_folded_weight: float32[2x2x1x2] = [2, 4, 9, 12, 10, 12, 21, 24]
  const %conv_folded_bias: float32[2] = [-30.5, -70.75]
  %y: float32[1x2x3x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias) "conv"
  output %y)"},
        Situation{"Pads are zero after the normalisation, so its offsets cannot go past them.",
                  batch_norm,
                  R"(
  input %x: float32[1x1x3x3]
  const %v: float32[1] = [4]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %n: float32[1x1x3x3] = BatchNormalization(%x, %v, %v, %v, %v) "bn"
  %y: float32[1x1x4x4] = Conv(%n, %w) {pads = [1, 1, 1, 1]} "conv"
  output %y)",
                  nullptr,
                  {"PADDING_NOT_SHIFTED"}},
        Situation{"A chain goes link by link into the weights at its head.", batch_norm,
                  normalised({.result = "first"}) + R"(
  %y: float32[1x1x2x2] = BatchNormalization(%first, %gamma, %beta, %mean, %variance) {epsilon = 0} "second"
  output %y)",
                  R"(
  input %x: float32[1x1x2x2]
  const %conv_folded_weight_1: float32[1x1x1x1] = [12]
  const %conv_folded_bias_1: float32[1] = [3]
  %y: float32[1x1x2x2] = Conv(%x, %conv_folded_weight_1, %conv_folded_bias_1) "conv"
  output %y)"},
        Situation{"Weights that others use as well get a folded copy.", batch_norm,
                  normalised({}) + R"(
  %r: float32[1x1x2x2] = Relu(%x) "r"
  %z: float32[1x1x2x2] = Conv(%r, %w) "other"
  output %y
  output %z)",
                  R"(
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [3]
  const %conv_folded_weight: float32[1x1x1x1] = [6]
  const %conv_folded_bias: float32[1] = [1]
  %r: float32[1x1x2x2] = Relu(%x) "r"
  %z: float32[1x1x2x2] = Conv(%r, %w) "other"
  %y: float32[1x1x2x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias) "conv"
  output %y
  output %z)"},
        Situation{"A normalisation beside no weights stays.",
                  batch_norm,
                  R"(
  input %x: float32[1x1x2x2]
  const %v: float32[1] = [4]
  %r: float32[1x1x2x2] = Relu(%x) "r"
  %n: float32[1x1x2x2] = BatchNormalization(%r, %v, %v, %v, %v) "bn"
  output %n)",
                  nullptr,
                  {"NO_WEIGHTS_BESIDE"}},
        Situation{"Its own parameters must be known.",
                  batch_norm,
                  normalised({.mean = ""}) + "output %y",
                  nullptr,
                  {"PARAMETERS_NOT_CONSTANT"}},
        Situation{"So must the weights.",
                  batch_norm,
                  normalised({.weight = ""}) + "output %y",
                  nullptr,
                  {"WEIGHTS_NOT_CONSTANT"}},
        Situation{"What is read before the normalisation, too, cannot be folded into.",
                  batch_norm,
                  normalised({.result = "n"}) + R"(
  %y: float32[1x1x2x2] = Add(%c, %n) "y"
  output %y)",
                  nullptr,
                  {"INTERMEDIATE_STILL_USED"}},
        Situation{"A normalisation by the batch itself follows its statistics.",
                  batch_norm,
                  normalised({.attributes = "training_mode = 1"}) + "output %y",
                  nullptr,
                  {"STATISTICS_OF_THE_BATCH"}},
        Situation{
            "A variance of zero and no epsilon make an infinite factor, which no weight can "
            "take in.",
            batch_norm,
            normalised({.weight = "0", .gamma = "1", .beta = "0", .variance = "0", .result = "n"}) +
                R"(
  %y: float32[1x1x2x2] = Relu(%x) "y"
  output %y)",
            nullptr,
            {"NOT_FINITE"}},
        Situation{"The sum after a matrix product counts as its bias.", batch_norm,
                  two_channels + R"(
  input %x: float32[3x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %b: float32[2] = [10, 20]
  %m: float32[3x2] = MatMul(%x, %w) "matmul"
  %a: float32[3x2] = Add(%m, %b) "add"
  %y: float32[3x2] = BatchNormalization(%a, %gamma, %beta, %mean, %variance) {epsilon = 0} "bn"
  output %y)",
                  R"(
  input %x: float32[3x2]
  const %matmul_folded_weight: float32[2x2] = [2, 6, 6, 12]
  const %bn_folded_bias: float32[2] = [19, 56]
  %matmul: float32[3x2] = MatMul(%x, %matmul_folded_weight) "matmul"
  %y: float32[3x2] = Add(%matmul, %bn_folded_bias) "bn"
  output %y)"},
        Situation{"Weights of half precision are scaled in double precision, and rounded once.",
                  batch_norm,
                  normalised({.type = "float16", .weight = "0.25", .gamma = "4", .variance = "4"}) +
                      "output %y",
                  R"(
  input %x: float16[1x1x2x2]
  const %conv_folded_weight: float16[1x1x1x1] = [0.5]
  const %conv_folded_bias: float16[1] = [1]
  %y: float16[1x1x2x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias) "conv"
  output %y)"},
        Situation{
            "They must fit half precision's range.",
            batch_norm,
            normalised(
                {.type = "float16", .weight = "512", .gamma = "256", .beta = "0", .result = "n"}) +
                R"(
  %y: float16[1x1x2x2] = Relu(%x) "y"
  output %y)",
            nullptr,
            {"NOT_FINITE"}},
        Situation{"Nor may they lose their digits.",
                  batch_norm,
                  normalised({.type = "float16",
                              .weight = "0.0009765625",
                              .gamma = "0.03125",
                              .beta = "0",
                              .result = "n"}) +
                      R"(
  %y: float16[1x1x2x2] = Relu(%x) "y"
  output %y)",
                  nullptr,
                  {"UNDERFLOW"}}));

}  // namespace
}  // namespace loopglass::test
