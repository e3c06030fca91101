// Which values need no memory of their own, what is left of kernels that copy, and why the rest is
// copied: graphs in text form, each operator a kernel.
#include "core/placement/placement.h"

#include "core/runtime/memory_plan.h"
#include "core/te/copies.h"
#include "tests/graph/parsed.h"
#include "tests/runtime/computed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::placement {
namespace {

using test::computed;
using test::graph_of;
using test::reader;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<fusion::KernelProgram> kernels_of(const graph::Graph& graph) {
  std::vector<fusion::KernelProgram> kernels;
  for (const graph::NodePtr& node : graph.nodes())
    kernels.push_back(
        fusion::kernel_program(graph, {{}, {node->id}, node->id, node->name}).value());
  return kernels;
}

struct Placed {
  graph::Graph graph;
  Placement placement;

  explicit Placed(const std::string& lines)
      : graph(graph_of(lines)), placement(place_values(graph, kernels_of(graph))) {}

  // "b in c at 1024", with a word for rows with gaps.
  std::vector<std::string> shared() const {
    std::vector<std::string> said;
    for (const SharedValue& shared : placement.shared)
      said.push_back(graph.value(shared.value).name + " in " +
                     graph.value(shared.place.buffer).name + " at " +
                     std::to_string(shared.place.offset) + (shared.dense ? "" : " in rows"));
    return said;
  }
  // "a to c: OPERAND_IS_INPUT"
  std::vector<std::string> copies() const {
    std::vector<std::string> said;
    for (const PlacedKernel& kernel : placement.kernels)
      for (const KeptCopy& copy : kernel.copies)
        said.push_back(graph.value(copy.operand).name + " to " + graph.value(copy.result).name +
                       ": " + std::string(name(copy.reason)));
    return said;
  }
  std::string program(std::size_t kernel) const {
    return te::to_string(placement.kernels[kernel].kernel.program);
  }
};

TEST(Placement, OperandsOfAConcatenationAreWrittenIntoItsResult) {
  const Placed placed(computed({"a", "b"}, "1x2x16") + R"(
    %c: float32[1x4x16] = Concat(%a, %b) {axis = 1} "c")" +
                      reader("c", "1x4x16"));
  EXPECT_THAT(placed.shared(), ElementsAre("a in c at 0", "b in c at 128"));
  EXPECT_THAT(placed.copies(), IsEmpty());
  EXPECT_TRUE(placed.placement.kernels[2].is_view());
  EXPECT_EQ(describe_view(placed.placement.kernels[2], placed.placement, placed.graph),
            "the parts of c are written there by the kernels that compute them");
}

TEST(Placement, PartsAndOtherShapesAreReadWhereTheyLie) {
  const Placed placed(computed({"a"}, "4x16") + R"(
    %p: float32[1x16], %q: float32[3x16] = Split(%a) {axis = 0, split = [1, 3]} "p"
    %r: float32[3x2x8] = Reshape(%q) {shape = [3, 2, 8]} "r"
    %u: float32[1x16] = Neg(%p) "u"
    %v: float32[3x2x8] = Neg(%r) "v"
    output %u
    output %v)");
  EXPECT_THAT(placed.shared(), ElementsAre("p in a at 0", "q in a at 64", "r in a at 64"));
  EXPECT_TRUE(placed.placement.kernels[1].is_view());
  EXPECT_TRUE(placed.placement.kernels[2].is_view());
}

TEST(Placement, ConcatenationsNest) {
  const Placed placed(computed({"a", "b"}, "1x16") + R"(
    %ab: float32[2x16] = Concat(%a, %b) {axis = 0} "ab"
    %c: float32[2x16] = Abs(%ab) "c"
    %abc: float32[4x16] = Concat(%ab, %c) {axis = 0} "abc")" +
                      reader("abc", "4x16"));
  EXPECT_THAT(placed.shared(),
              ElementsAre("a in abc at 0", "b in abc at 64", "ab in abc at 0", "c in abc at 128"));
}

// Flattened, the same: what lies side by side in the longer one need not be joined again.
TEST(Placement, APrefixOfALongerConcatenationIsPartOfIt) {
  const Placed placed(computed({"a", "b"}, "1x16") + R"(
    %ab: float32[2x16] = Concat(%a, %b) {axis = 0} "ab"
    %c: float32[2x16] = Abs(%ab) "c"
    %abc: float32[4x16] = Concat(%a, %b, %c) {axis = 0} "abc")" +
                      reader("abc", "4x16"));
  EXPECT_THAT(placed.shared(),
              ElementsAre("a in abc at 0", "b in abc at 64", "ab in abc at 0", "c in abc at 128"));
  EXPECT_THAT(placed.copies(), IsEmpty());
}

TEST(Placement, TransposingBesideTheOnlyLongAxisIsNoCopy) {
  const Placed placed(computed({"a"}, "1x16x1") + R"(
    %t: float32[16x1x1] = Transpose(%a) {perm = [1, 0, 2]} "t")" +
                      reader("t", "16x1x1"));
  EXPECT_THAT(placed.shared(), ElementsAre("t in a at 0"));
}

// Every second row, and the right half of each row.
TEST(Placement, RowsMayHaveGaps) {
  const Placed placed(computed({"a"}, "4x32") + R"(
    %s: float32[2x16] = Slice(%a) {starts = [0, 16], ends = [4, 32], steps = [2, 1]} "s")" +
                      reader("s", "2x16"));
  EXPECT_THAT(placed.shared(), ElementsAre("s in a at 64 in rows"));
  EXPECT_THAT(placed.program(2), ::testing::HasSubstr("input s: float32[2, 64]"));
}

TEST(Placement, AConcatenationOfChannelsLastIsWrittenInRows) {
  const Placed placed(computed({"a", "b"}, "1x3x16") + R"(
    %c: float32[1x3x32] = Concat(%a, %b) {axis = 2} "c")" +
                      reader("c", "1x3x32"));
  EXPECT_THAT(placed.shared(), ElementsAre("a in c at 0 in rows", "b in c at 64 in rows"));
}

// The rest of a concatenation is computed, and only that.
TEST(Placement, WhatCannotBePlacedIsCopiedAlone) {
  const Placed placed(computed({"a"}, "1x2x16") + R"(
    const %k: float32[1x1x16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
    %c: float32[1x7x16] = Concat(%x, %a, %a, %k) {axis = 1} "c")" +
                      reader("c", "1x7x16"));
  EXPECT_THAT(placed.shared(), ElementsAre("a in c at 128"));
  EXPECT_THAT(placed.copies(), ElementsAre("x to c: OPERAND_IS_INPUT", "a to c: PLACED_ELSEWHERE",
                                           "k to c: OPERAND_IS_CONSTANT"));
  const PlacedKernel& rest = placed.placement.kernels[1];
  const graph::ValueId c = placed.graph.find_value("c")->id;
  EXPECT_THAT(rest.kernel.outputs, ElementsAre(c, c, c));
  ASSERT_EQ(rest.places.size(), 6u);
  EXPECT_EQ(rest.places[3], (Place{c, 0}));
  EXPECT_EQ(rest.places[4], (Place{c, 256}));
  EXPECT_EQ(rest.places[5], (Place{c, 384}));
  for (const te::Stage& stage : rest.kernel.program.stages)
    EXPECT_EQ(expr::to_string(stage.body).find("select"), std::string::npos);
}

TEST(Placement, OutputsAreBuffersOfTheirOwn) {
  const Placed placed(computed({"a", "b"}, "2x16") + R"(
    %r: float32[32] = Reshape(%a) {shape = [32]} "r"
    %c: float32[4x16] = Concat(%a, %b) {axis = 0} "c"
    %s: float32[1x16] = Slice(%c) {starts = [0], ends = [1], axes = [0]} "s"
    output %r
    output %c
    output %s
    output %b)");
  EXPECT_THAT(placed.shared(), ElementsAre("a in c at 0"));
  EXPECT_THAT(placed.copies(), ElementsAre("a to r: RESULT_IS_OUTPUT", "b to c: OPERAND_IS_OUTPUT",
                                           "c to s: RESULT_IS_OUTPUT"));
}

TEST(Placement, AnInputMayBeReadInOtherShapes) {
  const Placed placed(R"(
    input %x: float32[2x16]
    %s: float32[1x16] = Slice(%x) {starts = [1], ends = [2], axes = [0]} "s"
    %y: float32[1x16] = Neg(%s) "y"
    %z: float32[32] = Reshape(%x) {shape = [32]} "z"
    output %y
    output %z)");
  EXPECT_THAT(placed.shared(), ElementsAre("s in x at 64"));
  EXPECT_THAT(placed.copies(), ElementsAre("x to z: RESULT_IS_OUTPUT"));
}

struct Refused {
  const char* name;
  std::string lines;
  const char* said;
};

class PlacementRefusal : public ::testing::TestWithParam<Refused> {};

TEST_P(PlacementRefusal, SaysWhy) {
  const Placed placed(GetParam().lines);
  EXPECT_THAT(placed.copies(), ::testing::Contains(GetParam().said));
}

INSTANTIATE_TEST_SUITE_P(Reasons, PlacementRefusal,
                         ::testing::Values(Refused{"Misaligned",
                                                   computed({"a"}, "4x8") + R"(
      %s: float32[2x8] = Slice(%a) {starts = [1], ends = [3], axes = [0]} "s")" +
                                                       reader("s", "2x8"),
                                                   "a to s: MISALIGNED"},
                                           Refused{"PartOfOperand",
                                                   computed({"a"}, "1x2x16") + R"(
      %c: float32[1x3x32] = Pad(%a) {pads = [0, -1, 16, 0, 2, 0], mode = "constant"} "c")" +
                                                       reader("c", "1x3x32"),
                                                   "a to c: PART_OF_OPERAND"},
                                           Refused{"NotRows", computed({"a"}, "16x16") + R"(
      %t: float32[16x16] = Transpose(%a) {perm = [1, 0]} "t")" + reader("t", "16x16"),
                                                   "a to t: NOT_ROWS"},
                                           Refused{"ShortRows",
                                                   computed({"a"}, "16x16") + R"(
      %s: float32[16x4] = Slice(%a) {starts = [0], ends = [4], axes = [1]} "s")" +
                                                       reader("s", "16x4"),
                                                   "a to s: SHORT_ROWS"},
                                           Refused{"RowsForCaller",
                                                   computed({"a", "b"}, "3x16") + R"(
      %c: float32[3x32] = Concat(%a, %b) {axis = 1} "c"
      output %c)",
                                                   "a to c: ROWS_FOR_CALLER"},
                                           Refused{"KeepsLargeBuffer",
                                                   computed({"a"}, "64x16") + R"(
      %s: float32[1x16] = Slice(%a) {starts = [0], ends = [1], axes = [0]} "s"
      %b: float32[64x16] = Neg(%a) "b"
      %y: float32[64x16] = Add(%b, %s) "y"
      output %y)",
                                                   "a to s: KEEPS_LARGE_BUFFER"}),
                         [](const auto& info) { return info.param.name; });

TEST(Placement, EveryReasonHasACodeAndASentence) {
  std::set<std::string_view> names;
  for (std::size_t r = 0; r < copy_reason_count; ++r) {
    names.insert(name(static_cast<CopyReason>(r)));
    EXPECT_TRUE(explanation(static_cast<CopyReason>(r)).ends_with('.'));
  }
  EXPECT_EQ(names.size(), copy_reason_count);
}

// Nothing is written over what somebody reads under another name.
TEST(Placement, AnOperandThatSharesItsMemoryHasNoHeir) {
  const Placed placed(computed({"a"}, "4x16") + R"(
    %r: float32[64] = Reshape(%a) {shape = [64]} "r"
    %b: float32[64] = Neg(%r) "b"
    %c: float32[4x16] = Abs(%a) "c"
    %d: float32[64] = Sigmoid(%b) "d"
    %e: float32[4x16] = Tanh(%c) "e"
    output %d
    output %e)");
  std::vector<runtime::KernelUse> uses;
  for (const PlacedKernel& kernel : placed.placement.kernels) {
    runtime::KernelUse use;
    use.handed_on = kernel.handed_on;
    use.places = kernel.places;
    for (const auto* values : {&kernel.kernel.inputs, &kernel.kernel.outputs})
      for (const graph::ValueId id : *values) {
        const TensorType& type = placed.graph.value(id).type;
        use.arguments.push_back(id);
        use.parameters.push_back(
            {"p",
             type.type,
             te::extents(type.shape),
             loop::Scope::Global,
             values == &kernel.kernel.inputs ? loop::Role::Input : loop::Role::Output,
             {}});
      }
    if (use.arguments.size() == 2) use.in_place = {{0, 1}};
    uses.push_back(std::move(use));
  }
  const runtime::MemoryPlan plan =
      runtime::plan_memory(placed.graph, uses, placed.placement.shared).value();
  // b is made while a is still needed; c is the last to read it.
  EXPECT_FALSE(plan.find(placed.graph.find_value("b")->id)->in_place_of.valid());
  EXPECT_EQ(plan.find(placed.graph.find_value("c")->id)->in_place_of,
            placed.graph.find_value("a")->id);
  EXPECT_EQ(plan.find(placed.graph.find_value("r")->id), nullptr);
  EXPECT_EQ(plan.shared.size(), 1u);
}

}  // namespace
}  // namespace loopglass::placement
