// What differs between two graphs of a history: nodes, values, counts.
#include "core/graph/diff.h"
#include "core/graph/counts.h"
#include "core/graph/text.h"
#include "core/ops/registry.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::graph {
namespace {

using test::parsed;
using ::testing::ElementsAre;

// Relu, Neg and Add over one input and one constant.
Graph chain_with_a_constant() {
  return parsed(R"(graph "g" {
  input %x: float32[2x3]
  const %k: float32[2x3] = [1, 2, 3, 4, 5, 6]
  %a: float32[2x3] = Relu(%x) "a"
  %b: float32[2x3] = Neg(%a) "b"
  %c: float32[2x3] = Add(%b, %k) "c"
  output %c
}
)");
}

NodeId id_of(const Graph& graph, const char* name) { return graph.find_node(name)->id; }

// "+d ~c -b": what became of which node, in the order of the diff.
std::string summary(const Diff& diff) {
  std::string text;
  for (const NodeDiff& node : diff.nodes) {
    const char sign = node.change == Change::Added     ? '+'
                      : node.change == Change::Removed ? '-'
                                                       : '~';
    text += (text.empty() ? "" : " ") + std::string(1, sign) +
            (node.after ? node.after : node.before)->name;
  }
  return text;
}

TEST(Diff, AGraphAndItsCopyAreTheSame) {
  const Graph graph = chain_with_a_constant(), copy = graph;
  EXPECT_TRUE(diff(graph, graph).empty());
  const Diff same = diff(graph, copy);
  EXPECT_TRUE(same.empty());
  EXPECT_EQ(same.same_nodes, 3u);
  EXPECT_EQ(same.count(Change::Same), 3u);
  EXPECT_EQ(same.of(id_of(graph, "a")), Change::Same);
}

TEST(Diff, ARemovedNodeStandsWhereItStoodAndItsReaderHasChanged) {
  const Graph before = chain_with_a_constant();
  GraphBuilder builder(before);
  const NodeId b = id_of(before, "b");
  builder.replace_uses(builder.output(b), builder.node(b).inputs[0]);
  builder.remove_node(b);
  const Graph after = *std::move(builder).finish();
  const Diff found = diff(before, after);
  EXPECT_EQ(summary(found), "-b ~c");
  EXPECT_EQ(found.of(b), Change::Removed);
  const NodeDiff* c = found.find(id_of(before, "c"));
  ASSERT_NE(c, nullptr);
  EXPECT_EQ(to_text(c->differences), "input 0: %b -> %a");
  EXPECT_EQ(found.same_nodes, 1u);
  // Backwards it was added.
  EXPECT_EQ(summary(diff(after, before)), "+b ~c");
  // Its result is gone as well; no constant is.
  ASSERT_EQ(found.values.size(), 1u);
  EXPECT_EQ(found.values[0].change, Change::Removed);
  EXPECT_FALSE(found.values[0].is_constant());
  EXPECT_FALSE(found.interface_changed);
}

TEST(Diff, WhatWentComesBeforeWhatCame) {
  const Graph before = chain_with_a_constant();
  GraphBuilder builder(before);
  const NodeId b = id_of(before, "b"), c = id_of(before, "c");
  builder.set_outputs({builder.output(b)});
  builder.remove_node(c);
  const NodeId d = *builder.add_node("d", *ops::find_operator("Abs"), {builder.output(b)}, {});
  builder.set_outputs({builder.output(d)});
  builder.remove_unused_constants();
  const Diff found = diff(before, *std::move(builder).finish());
  EXPECT_EQ(summary(found), "-c +d");
  EXPECT_TRUE(found.interface_changed);
  EXPECT_EQ(found.count(Change::Added), 1u);
}

TEST(Diff, NewNamesAreDifferencesAndAChangeTakenBackIsNone) {
  const Graph before = chain_with_a_constant();
  GraphBuilder builder(before);
  builder.rename(id_of(before, "a"), "first");
  builder.rename(builder.output(id_of(before, "b")), "negated");
  const Graph renamed = *std::move(builder).finish();
  const Diff found = diff(before, renamed);
  ASSERT_EQ(summary(found), "~first");
  EXPECT_EQ(to_text(found.nodes[0].differences), "name: a -> first");
  ASSERT_EQ(found.values.size(), 1u);
  EXPECT_EQ(to_text(found.values[0].differences), "name: %b -> %negated");
  GraphBuilder back(renamed);
  back.rename(id_of(before, "a"), "a");
  back.rename(back.output(id_of(before, "b")), "b");
  EXPECT_TRUE(diff(before, *std::move(back).finish()).empty());
}

TEST(Diff, OperandsOfTheSameNameAreToldApart) {
  const Graph before = chain_with_a_constant();
  GraphBuilder builder(before);
  const NodeId b = id_of(before, "b");
  const ValueId constant =
      builder.add_constant("folded", Tensor(TensorType{DataType::Float32, {2, 3}}));
  builder.replace_uses(builder.output(b), constant);
  builder.remove_node(b);
  builder.rename(constant, "b");
  const Graph after = *std::move(builder).finish();
  const Diff found = diff(before, after);
  EXPECT_EQ(to_text(found.find(id_of(before, "c"))->differences),
            "input 0: %b (Neg #1) -> %b (constant)");
  EXPECT_TRUE(std::any_of(found.values.begin(), found.values.end(), [](const ValueDiff& value) {
    return value.change == Change::Added && value.is_constant();
  }));
}

TEST(Diff, TwoNodesDifferInOperatorAttributesAndTypes) {
  const Graph graph = parsed(R"(graph "g" {
  input %x: float32[2x3]
  %s: float32[2x3] = Softmax(%x) {axis = 0} "s"
  %t: float32[3x2] = Transpose(%x) {perm = [1, 0]} "t"
  output %s
  output %t
}
)");
  const auto found = differences(graph, *graph.find_node("s"), graph, *graph.find_node("t"));
  EXPECT_EQ(to_text(found),
            "name: s -> t, operator: Softmax -> Transpose, attribute axis: 0 -> none, attribute "
            "perm: none -> [1, 0], "
            "type: float32[2x3] -> float32[3x2]");
}

TEST(Counts, AreOfOperatorsArithmeticAndBytes) {
  const Counts counts = count(parsed(R"(graph "g" {
  input %x: float32[4x8]
  const %w: float32[8x2] = [1,2,3,4,5,6,7,8,1,2,3,4,5,6,7,8]
  const %unused: float32[100] = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
  %m: float32[4x2] = MatMul(%x, %w) "m"
  %n: float32[4x2] = MatMul(%x, %w) "n"
  %y: float32[4x2] = Add(%m, %n) "y"
  output %y
}
)"));
  EXPECT_EQ(counts.nodes, 3);
  EXPECT_THAT(counts.operators, ElementsAre(std::pair("Add", 1), std::pair("MatMul", 2)));
  EXPECT_EQ(counts.flops, 2 * (2 * 4 * 8 * 2) + 8);     // a multiply-accumulate counts two
  EXPECT_EQ(counts.intermediate_bytes, 2 * 4 * 2 * 4);  // the result itself is none
  EXPECT_EQ(counts.parameter_bytes, 8 * 2 * 4);
  EXPECT_EQ(counts.parameters, 16);
}

TEST(Counts, AreComparedTotalsFirst) {
  Counts before, after;
  before.nodes = 3;
  before.operators = {{"Add", 1}, {"Conv", 2}};
  after.nodes = 4;
  after.operators = {{"Conv", 2}, {"Relu", 2}};
  std::string text;
  for (const CountRow& row : compare(before, after))
    if (row.before != 0 || row.after != 0)
      text += row.name + " " + std::to_string(row.delta()) + (row.per_operator ? "; " : ". ");
  EXPECT_EQ(text, "operators 1. Add -1; Conv 0; Relu 2; ");
}

}  // namespace
}  // namespace loopglass::graph
