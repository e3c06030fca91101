// Folding of scales and biases into the weights beside them.
#include "tests/pass/before_after.h"

#include <fmt/format.h>

namespace loopglass::test {
namespace {

class ScaleAndBiasFolding : public ::testing::TestWithParam<Situation> {};
TEST_P(ScaleAndBiasFolding, KeepsTheMeaning) { check(GetParam()); }

constexpr const char* scale = "fold-scale-and-bias";

// An image goes through a convolution of one weight, %c, which a constant scales.
struct ScaledConvolution {
  const char* weight = "3";
  const char* factor = "float32[] = [2]";
  const char* result = "1x1x2x2";  // its shape
};
std::string scaled(const ScaledConvolution& by) {
  return fmt::format(R"(
  input %x: float32[1x1x2x2]
  const %w: float32[1x1x1x1] = [{}]
  const %f: {}
  %c: float32[1x1x2x2] = Conv(%x, %w) "conv"
  %y: float32[{}] = Mul(%c, %f) "m"
  output %y)",
                     by.weight, by.factor, by.result);
}

// Of rows, without a place for a bias: it is added to the product %m, which makes %a.
std::string linear_layer(const std::string& rows) {
  return fmt::format(R"(
  input %x: float32[{0}x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %b: float32[2] = [1, 2]
  %m: float32[{0}x2] = MatMul(%x, %w) "m" from 0
  %a: float32[{0}x2] = Add(%b, %m) "a" from 1)",
                     rows);
}

INSTANTIATE_TEST_SUITE_P(
    All, ScaleAndBiasFolding,
    ::testing::Values(
        Situation{"(x w + 1) * f - 2: a scale a channel and numbers for all channels.", scale,
                  R"(
  input %x: float32[1x1x2x2]
  const %w: float32[2x1x1x1] = [1, 2]
  const %one: float32[] = [1]
  const %f: float32[2x1x1] = [2, 4]
  const %two: float32[1] = [2]
  %c: float32[1x2x2x2] = Conv(%x, %w) "conv" from 0
  %a: float32[1x2x2x2] = Add(%one, %c) "a" from 1
  %m: float32[1x2x2x2] = Mul(%a, %f) "m" from 2
  %y: float32[1x2x2x2] = Sub(%m, %two) "s" from 3
  output %y)",
                  R"(
  input %x: float32[1x1x2x2]
  const %conv_folded_weight: float32[2x1x1x1] = [2, 8]
  const %conv_folded_bias_2: float32[2] = [0, 2]
  %y: float32[1x2x2x2] = Conv(%x, %conv_folded_weight, %conv_folded_bias_2) "conv" from 0, 1, 2, 3
  output %y)"},
        Situation{"1 - x w / 4 turns the weights round.", scale,
                  R"(
  input %x: float32[3x2]
  const %w: float32[2x1] = [4, 8]
  const %one: float32[] = [1]
  const %four: float32[] = [4]
  %g: float32[3x1] = Gemm(%x, %w) "gemm"
  %d: float32[3x1] = Div(%g, %four) "d"
  %y: float32[3x1] = Sub(%one, %d) "s"
  output %y)",
                  R"(
  input %x: float32[3x2]
  const %gemm_folded_weight_1: float32[2x1] = [-1, -2]
  const %gemm_folded_bias: float32[1] = [1]
  %y: float32[3x1] = Gemm(%x, %gemm_folded_weight_1, %gemm_folded_bias) "gemm"
  output %y)"},
        Situation{"A scale of the input goes past pads, which are zero before and after it.", scale,
                  R"(
  input %x: float32[1x2x2x2]
  const %f: float32[1x2x1x1] = [2, 4]
  const %w: float32[1x2x1x1] = [1, 3]
  %m: float32[1x2x2x2] = Mul(%x, %f) "m"
  %y: float32[1x1x4x4] = Conv(%m, %w) {pads = [1, 1, 1, 1]} "conv"
  output %y)",
                  R"(
  input %x: float32[1x2x2x2]
  const %conv_folded_weight: float32[1x2x1x1] = [2, 12]
  %y: float32[1x1x4x4] = Conv(%x, %conv_folded_weight) {pads = [1, 1, 1, 1]} "conv"
  output %y)"},
        Situation{"An offset of the input does not go past them.",
                  scale,
                  R"(
  input %x: float32[1x1x2x2]
  const %t: float32[] = [2]
  const %w: float32[1x1x1x1] = [3]
  %a: float32[1x1x2x2] = Add(%x, %t) "a"
  %y: float32[1x1x4x4] = Conv(%a, %w) {pads = [1, 1, 1, 1]} "conv"
  output %y)",
                  nullptr,
                  {"PADDING_NOT_SHIFTED"}},
        Situation{"Input channels of a grouped convolution, last link of the chain first.", scale,
                  R"(
  input %x: float32[1x2x1x1]
  const %f: float32[2x1x1] = [2, 4]
  const %t: float32[2x1x1] = [1, 10]
  const %w: float32[2x1x1x1] = [3, 5]
  %m: float32[1x2x1x1] = Mul(%x, %f) "m"
  %a: float32[1x2x1x1] = Add(%m, %t) "a"
  %y: float32[1x2x1x1] = Conv(%a, %w) {group = 2} "conv"
  output %y)",
                  R"(
  input %x: float32[1x2x1x1]
  const %conv_folded_bias: float32[2] = [3, 50]
  const %conv_folded_weight: float32[2x1x1x1] = [6, 20]
  %y: float32[1x2x1x1] = Conv(%x, %conv_folded_weight, %conv_folded_bias) {group = 2} "conv"
  output %y)"},
        Situation{"Rows of a transposed operand are input channels.", scale,
                  R"(
  input %x: float32[2x3]
  const %f: float32[2x1] = [2, 4]
  const %w: float32[2x1] = [1, 3]
  %m: float32[2x3] = Mul(%x, %f) "m"
  %y: float32[3x1] = Gemm(%m, %w) {transA = 1} "gemm"
  output %y)",
                  R"(
  input %x: float32[2x3]
  const %gemm_folded_weight: float32[2x1] = [2, 12]
  %y: float32[3x1] = Gemm(%x, %gemm_folded_weight) {transA = 1} "gemm"
  output %y)"},
        Situation{"A bias a row and a column is scaled by its columns.", scale,
                  R"(
  input %x: float32[2x1]
  const %w: float32[1x2] = [1, 3]
  const %c: float32[2x1] = [10, 20]
  const %f: float32[2] = [2, 4]
  %g: float32[2x2] = Gemm(%x, %w, %c) "gemm"
  %y: float32[2x2] = Mul(%g, %f) "m"
  output %y)",
                  R"(
  input %x: float32[2x1]
  const %gemm_folded_weight: float32[1x2] = [2, 12]
  const %gemm_folded_bias: float32[2x2] = [20, 40, 40, 80]
  %y: float32[2x2] = Gemm(%x, %gemm_folded_weight, %gemm_folded_bias) "gemm"
  output %y)"},
        Situation{"The bias of a linear layer without a place for one stays a sum.", scale,
                  linear_layer("1x3") + "output %a"},
        Situation{"What scales the bias of such a layer scales it and the weights.", scale,
                  linear_layer("1x3") + R"(
  const %f: float32[2] = [2, 4]
  %y: float32[1x3x2] = Mul(%a, %f) "y" from 2
  output %y)",
                  R"(
  input %x: float32[1x3x2]
  const %m_folded_weight: float32[2x2] = [2, 8, 6, 16]
  const %y_folded_bias: float32[2] = [2, 8]
  %m: float32[1x3x2] = MatMul(%x, %m_folded_weight) "m" from 0, 1, 2
  %y: float32[1x3x2] = Add(%m, %y_folded_bias) "y" from 0, 1, 2
  output %y)"},
        Situation{"Its bias and what is taken from it are one sum.", scale, linear_layer("3") + R"(
  const %t: float32[] = [4]
  %y: float32[3x2] = Sub(%a, %t) "y" from 2
  output %y)",
                  R"(
  input %x: float32[3x2]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %y_folded_bias: float32[2] = [-3, -2]
  %m: float32[3x2] = MatMul(%x, %w) "m" from 0, 1, 2
  %y: float32[3x2] = Add(%m, %y_folded_bias) "y" from 0, 1, 2
  output %y)"},
        Situation{"(1 - x) w + b: what goes past the weights joins the bias.", scale,
                  R"(
  input %x: float32[3x2]
  const %one: float32[] = [1]
  const %w: float32[2x2] = [1, 2, 3, 4]
  const %b: float32[2] = [10, 20]
  %s: float32[3x2] = Sub(%one, %x) "s"
  %m: float32[3x2] = MatMul(%s, %w) "m"
  %y: float32[3x2] = Add(%m, %b) "y"
  output %y)",
                  R"(
  input %x: float32[3x2]
  const %m_folded_weight: float32[2x2] = [-1, -2, -3, -4]
  const %y_folded_bias: float32[2] = [14, 26]
  %m: float32[3x2] = MatMul(%x, %m_folded_weight) "m"
  %y: float32[3x2] = Add(%m, %y_folded_bias) "y"
  output %y)"},
        Situation{"A biased result that is needed without the scale is not scaled.",
                  scale,
                  linear_layer("3") + R"(
  const %f: float32[] = [2]
  %y: float32[3x2] = Mul(%a, %f) "y"
  output %a
  output %y)",
                  nullptr,
                  {"INTERMEDIATE_STILL_USED"}},
        Situation{"Numbers along another axis than the channels' are no scale of the weights.",
                  scale,
                  scaled({.factor = "float32[2] = [1, 2]"}),
                  nullptr,
                  {"NOT_PER_CHANNEL"}},
        Situation{"A constant that widens the data is no scale of it.", scale,
                  scaled({.factor = "float32[2x1x1x1] = [1, 2]", .result = "2x1x2x2"})},
        Situation{"What is needed without the scale, too, is not scaled.",
                  scale,
                  scaled({}) + "\noutput %c",
                  nullptr,
                  {"INTERMEDIATE_STILL_USED"}},
        Situation{"A bias that is data cannot be scaled ahead of time.",
                  scale,
                  R"(
  input %x: float32[1x1x2x2]
  input %b: float32[1]
  const %w: float32[1x1x1x1] = [3]
  const %f: float32[] = [2]
  %c: float32[1x1x2x2] = Conv(%x, %w, %b) "conv"
  %y: float32[1x1x2x2] = Mul(%c, %f) "m"
  output %y)",
                  nullptr,
                  {"BIAS_NOT_CONSTANT"}},
        Situation{"Scaled weights must fit their type.",
                  scale,
                  scaled({.weight = "1e+30", .factor = "float32[] = [1e+20]"}),
                  nullptr,
                  {"NOT_FINITE"}},
        Situation{"Nor may a channel's weights vanish.",
                  scale,
                  scaled({.weight = "1e-30", .factor = "float32[] = [1e-20]"}),
                  nullptr,
                  {"UNDERFLOW"}},
        Situation{"Integers wrap round; their products are left alone.", scale,
                  R"(
  input %x: int32[2x2]
  const %w: int32[2x2] = [1, 2, 3, 4]
  const %f: int32[] = [2]
  %c: int32[2x2] = MatMul(%x, %w) "c"
  %m: int32[2x2] = Mul(%c, %f) "m"
  output %m)"}));

}  // namespace
}  // namespace loopglass::test
