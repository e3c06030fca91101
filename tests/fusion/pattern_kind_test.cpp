// TVM's pattern kinds follow from what an operator's compute reads.
#include "core/fusion/pattern_kind.h"
#include "core/ops/registry.h"
#include "tests/graph/parsed.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

struct PatternCase {
  const char* operation;  // the line that makes %y
  PatternKind kind;
};
void PrintTo(const PatternCase& c, std::ostream* out) { *out << c.operation; }

graph::Graph network_around(const std::string& operation, const std::string& outputs) {
  return test::graph_of(R"(
  input %x: float32[2x3x4]
  input %s: float32[4]
  input %m: float32[4x4]
  input %image: float32[1x4x6x6]
  input %i: int64[2]
  input %c: bool[2x3x4]
)" + operation + " \"y\"\n" +
                        outputs);
}

class PatternKinds : public ::testing::TestWithParam<PatternCase> {};

TEST_P(PatternKinds, FollowFromTheIndexMaps) {
  const graph::Graph graph =
      network_around(std::string("  %y: ") + GetParam().operation, "  output %y\n");
  EXPECT_EQ(name(pattern_kind(graph, *graph.nodes().front())), name(GetParam().kind));
}

using enum PatternKind;
INSTANTIATE_TEST_SUITE_P(
    All, PatternKinds,
    ::testing::Values(
        PatternCase{"float32[2x3x4] = Relu(%x)", Elementwise},
        PatternCase{"float32[2x3x4] = Add(%x, %x)", Elementwise},
        PatternCase{"float32[2x3x4] = Where(%c, %x, %x)", Elementwise},
        PatternCase{"float32[2x3x4] = Add(%x, %s)", Broadcast},
        PatternCase{"float32[1x2x3x4] = Unsqueeze(%x) {axes = [0]}", Broadcast},
        PatternCase{"float32[4x3x2] = Transpose(%x)", Injective},
        // The same elements in the same order; Relay registers it as Injective all the same.
        PatternCase{"float32[6x4] = Reshape(%x) {shape = [6, 4]}", Broadcast},
        PatternCase{"float32[2x3x2] = Slice(%x) {starts = [1], ends = [3], axes = [2]}", Injective},
        PatternCase{"float32[2x3x2] = Slice(%x) {starts = [0], ends = [2], axes = [2]}", Injective},
        PatternCase{"float32[2x3x6] = Pad(%x) {pads = [0, 0, 0, 0, 0, 2]}", Injective},
        PatternCase{"float32[2x3x4] = Gather(%x, %i)", Injective},
        PatternCase{"float32[2x3x8] = Concat(%x, %x) {axis = 2}", Injective},
        PatternCase{"float32[2x3x1] = ReduceSum(%x) {axes = [2]}", CommReduce},
        PatternCase{"float32[1x4x1x1] = GlobalAveragePool(%image)", CommReduce},
        PatternCase{"float32[4x4] = MatMul(%m, %m)", OutElementwiseFusable},
        PatternCase{
            "float32[1x4x6x6] = MaxPool(%image) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]}",
            OutElementwiseFusable},
        PatternCase{"float32[2x3x1] = ReduceMean(%x) {axes = [2]}", CommReduce},
        PatternCase{"float32[2x3x4] = Softmax(%x)", OutElementwiseFusable},
        PatternCase{"float32[2x3x4] = LogSoftmax(%x)", OutElementwiseFusable},
        PatternCase{"float32[2x3x4] = LayerNormalization(%x, %s)", OutElementwiseFusable}));

TEST(PatternKindOfSeveralResults, IsInjectiveWhereTheyAreParts) {
  const graph::Graph split = network_around(
      "  %y: float32[2x3x2], %z: float32[2x3x2] = Split(%x) {axis = 2, split = [2, 2]}",
      "  output %y\n  output %z\n");
  EXPECT_EQ(name(pattern_kind(split, *split.nodes().front())), name(Injective));
}

TEST(PatternKindOfSeveralResults, IsOpaqueWhereTheyAreReductions) {
  const graph::Graph top = network_around(
      "  %y: float32[2x3x2], %z: int64[2x3x2] = TopK(%x) {k = 2}", "  output %y\n  output %z\n");
  EXPECT_EQ(name(pattern_kind(top, *top.nodes().front())), name(Opaque));
}

// One parameter a channel, whatever the layout makes of the channels.
TEST(PatternKindOfBatchNormalisation, IsTheSameInEveryLayout) {
  const auto kind = [](const std::string& shape, const std::string& attributes) {
    const graph::Graph graph = test::graph_of(fmt::format(R"(
  input %x: float32[{0}]
  input %c: float32[64]
  %y: float32[{0}] = {1} "y"
  output %y)",
                                                          shape, attributes));
    return name(pattern_kind(graph, *graph.nodes().front()));
  };
  EXPECT_EQ(kind("1x64x5x5", "BatchNormalization(%x, %c, %c, %c, %c)"), name(Broadcast));
  const auto in_layout = [](const char* layout) {
    return fmt::format("LayoutBatchNormalization(%x, %c, %c, %c, %c) {{layout = \"{}\"}}", layout);
  };
  EXPECT_EQ(kind("1x5x5x64", in_layout("NHWC")), name(Broadcast));
  EXPECT_EQ(kind("1x4x5x5x16", in_layout("NCHW16c")), name(Broadcast));
  EXPECT_EQ(kind("1x2x5x5x32", in_layout("NCHW32c")), name(Broadcast));
}

TEST(TakesTuple, WhatRelayGivesAList) {
  const auto takes = [](const char* op, PatternKind kind) {
    return takes_tuple(*ops::find_operator(op), kind);
  };
  EXPECT_TRUE(takes("Concat", Injective));
  EXPECT_TRUE(takes("Einsum", Injective));
  EXPECT_FALSE(takes("Sum", Broadcast));  // many sums of two
  EXPECT_FALSE(takes("Where", Broadcast));
  EXPECT_FALSE(takes("Gather", Injective));
}

}  // namespace
}  // namespace loopglass::fusion
