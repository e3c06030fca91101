// Folding of Pads into the windows that slide over their results.
#include "tests/pass/before_after.h"

#include <fmt/format.h>

namespace loopglass::test {
namespace {

class PaddingFolding : public ::testing::TestWithParam<Situation> {};
TEST_P(PaddingFolding, KeepsTheMeaning) { check(GetParam()); }

constexpr const char* padding = "fold-padding";

// An image and %p, which has a ring around it: of zeros, or of another value.
std::string ringed(const char* value = "0") {
  return fmt::format(R"(
  input %x: float32[1x1x3x3]
  %p: float32[1x1x5x5] = Pad(%x) {{pads = [0, 0, 1, 1, 0, 0, 1, 1], value = {}}} "p")",
                     value);
}

INSTANTIATE_TEST_SUITE_P(
    All, PaddingFolding,
    ::testing::Values(
        Situation{"Pads of a convolution add up, one Pad after the other.", padding,
                  R"(
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %p: float32[1x1x4x3] = Pad(%x) {pads = [0, 0, 1, 0, 0, 0, 0, 0]} "p" from 0
  %q: float32[1x1x4x5] = Pad(%p) {pads = [0, 2], axes = [3]} "q" from 1
  %y: float32[1x1x5x6] = Conv(%q, %w) {pads = [0, 1, 2, 1], strides = [1, 1]} "conv" from 2
  output %y)",
                  R"(
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %y: float32[1x1x5x6] = Conv(%x, %w) {pads = [1, 1, 2, 3], strides = [1, 1]} "conv" from 0, 1, 2
  output %y)"},
        Situation{"Pads that auto_pad finds are spelt out.", padding, ringed() + R"(
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %y: float32[1x1x5x5] = Conv(%p, %w) {auto_pad = "SAME_UPPER"} "conv"
  output %y)",
                  R"(
  input %x: float32[1x1x3x3]
  const %w: float32[1x1x2x2] = [1, 2, 3, 4]
  %y: float32[1x1x5x5] = Conv(%x, %w) {pads = [1, 1, 2, 2]} "conv"
  output %y)"},
        Situation{"A mean counts the zeros of a Pad, so the pads must count, too.", padding,
                  ringed() + R"(
  %y: float32[1x1x4x4] = AveragePool(%p) {kernel_shape = [2, 2]} "pool"
  output %y)",
                  R"(
  input %x: float32[1x1x3x3]
  %y: float32[1x1x4x4] = AveragePool(%x) {count_include_pad = 1, kernel_shape = [2, 2], pads = [1, 1, 1, 1]} "pool"
  output %y)"},
        Situation{"A mean that leaves its own pads out cannot count others.",
                  padding,
                  ringed() + R"(
  %y: float32[1x1x6x6] = AveragePool(%p) {kernel_shape = [2, 2], pads = [1, 1, 1, 1]} "pool"
  output %y)",
                  nullptr,
                  {"PADS_NOT_COUNTED"}},
        Situation{"A maximum pads with minus infinity.", padding, ringed("-inf") + R"(
  %y: float32[1x1x4x4] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y)",
                  R"(
  input %x: float32[1x1x3x3]
  %y: float32[1x1x4x4] = MaxPool(%x) {kernel_shape = [2, 2], pads = [1, 1, 1, 1]} "pool"
  output %y)"},
        Situation{"Zeros change the maximum of negative elements.",
                  padding,
                  ringed() + R"(
  %y: float32[1x1x4x4] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y)",
                  nullptr,
                  {"PADDING_DIFFERS"}},
        Situation{"They do not change the maximum of what a Relu lets through.", padding,
                  R"(
  input %x: float32[1x1x3x3]
  %r: float32[1x1x3x3] = Relu(%x) "r"
  %p: float32[1x1x5x5] = Pad(%r) {pads = [0, 0, 1, 1, 0, 0, 1, 1]} "p"
  %y: float32[1x1x4x4] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y)",
                  R"(
  input %x: float32[1x1x3x3]
  %r: float32[1x1x3x3] = Relu(%x) "r"
  %y: float32[1x1x4x4] = MaxPool(%r) {kernel_shape = [2, 2], pads = [1, 1, 1, 1]} "pool"
  output %y)"},
        Situation{"But a window that sees nothing but zeros must keep them.",
                  padding,
                  R"(
  input %x: float32[1x1x3x3]
  %r: float32[1x1x3x3] = Relu(%x) "r"
  %p: float32[1x1x7x7] = Pad(%r) {pads = [0, 0, 2, 2, 0, 0, 2, 2]} "p"
  %y: float32[1x1x6x6] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y)",
                  nullptr,
                  {"WINDOW_OF_PADDING"}},
        Situation{
            "Where the positions of maxima are wanted, they are positions in the padded tensor.",
            padding,
            ringed("-inf") + R"(
  %y: float32[1x1x4x4], %i: int64[1x1x4x4] = MaxPool(%p) {kernel_shape = [2, 2]} "pool"
  output %y
  output %i)",
            nullptr,
            {"PADS_NOT_COUNTED"}},
        Situation{
            "Other numbers than zero, mirrors, crops and channels are no pads of a convolution.",
            padding,
            R"(
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
  output %d)",
            nullptr,
            {"NOT_SPATIAL", "CROPS", "NOT_CONSTANT_PADDING", "PADDING_DIFFERS"}},
        Situation{"A padded tensor that others need, too, stays.",
                  padding,
                  ringed() + R"(
  const %w: float32[1x1x1x1] = [2]
  %a: float32[1x1x5x5] = Conv(%p, %w) "a"
  output %p
  output %a)",
                  nullptr,
                  {"INTERMEDIATE_STILL_USED"}}));

}  // namespace
}  // namespace loopglass::test
