// Plans beside one another: kernels, fusion rate, traffic, and the edges on which they differ.
#include "core/fusion/compare.h"

#include "passes/fusion/none.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

using test::edited;
using test::graph_of;

graph::Graph chain() {
  return graph_of(R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %i: float32[4x4] = Identity(%a) "i"
  %b: float32[4x4] = Neg(%i) "b"
  %c: float32[4x4] = Abs(%i) "c"
  %d: float32[4x4] = Mul(%c, %c) "d"
  output %b
  output %d)");
}

std::string in_words(const Plan& plan, const graph::Graph& graph,
                     const std::vector<GroupId>& groups) {
  std::string words;
  for (const GroupId id : groups) {
    words += words.empty() ? "" : " | ";
    for (const graph::NodeId node : plan.group(id).nodes) words += graph.node(node).name;
  }
  return words;
}

TEST(Summaries, CountOperatorsAndBytesBetweenKernels) {
  const graph::Graph graph = chain();
  const BlockRules rules(graph);
  const PlanSummary apart = summarise(rules, edited(graph, ""), CostModel());
  EXPECT_EQ(apart.operators, 5u);
  EXPECT_EQ(apart.kernels, 5u) << "as many as every list of them has";
  EXPECT_DOUBLE_EQ(apart.fusion_rate, 1);
  // a, which i lies in, and c; the outputs are no intermediates.
  EXPECT_EQ(apart.written_bytes, 2 * 64);
  EXPECT_EQ(apart.read_bytes, 3 * 64);  // i by both b and c; c by d once, though twice an operand
  const PlanSummary fused = summarise(rules, edited(graph, "merge a, i, c, d"), CostModel());
  EXPECT_EQ(fused.kernels, 2u);
  EXPECT_DOUBLE_EQ(fused.fusion_rate, 2.5);
  EXPECT_EQ(fused.written_bytes, 64);
  EXPECT_EQ(fused.read_bytes, 64);
  EXPECT_EQ(apart.never_written_bytes, 0);
  EXPECT_EQ(fused.never_written_bytes, 64) << "c alone: a is read by another kernel as well";
  EXPECT_LT(fused.estimated_microseconds, apart.estimated_microseconds);
}

// Two products in one kernel: the second loop nest reads what the first has written.
TEST(Summaries, TellTheWorkspaceFromWhatIsSaved) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4x4]
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %b: float32[4x4] = MatMul(%a, %x) "b"
  output %b)");
  const BlockRules rules(graph);
  const PlanSummary apart = summarise(rules, edited(graph, ""), CostModel());
  EXPECT_EQ(apart.written_bytes, 64);
  EXPECT_EQ(apart.workspace_bytes, 0);
  const PlanSummary fused = summarise(rules, edited(graph, "merge a, b"), CostModel());
  EXPECT_EQ(fused.written_bytes, 0);
  EXPECT_EQ(fused.workspace_bytes, 64);
  EXPECT_EQ(fused.never_written_bytes, 0) << "it is written into the workspace";
}

// A tensor under another shape lies in the other: whoever fuses both spares one.
TEST(Summaries, CountAViewAndWhatItIsOfOnce) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4x6]
  %a: float32[4x6] = Exp(%x) "a"
  %f: float32[24] = Reshape(%a) {shape = [24]} "f"
  %n: float32[24] = Neg(%f) "n"
  output %n)");
  const BlockRules rules(graph);
  EXPECT_EQ(summarise(rules, edited(graph, ""), CostModel()).never_written_bytes, 0);
  EXPECT_EQ(summarise(rules, edited(graph, "merge a, f, n"), CostModel()).never_written_bytes, 96);
  EXPECT_EQ(summarise(rules, edited(graph, "merge f, n"), CostModel()).never_written_bytes, 0);
}

TEST(Summaries, OfAnEmptyNetwork) {
  const graph::Graph graph = graph_of("input %x: float32[4] output %x");
  const PlanSummary summary =
      summarise(BlockRules(graph), passes::fuse_nothing(graph, {}).value(), CostModel());
  EXPECT_EQ(summary.kernels, 0u);
  EXPECT_DOUBLE_EQ(summary.fusion_rate, 1);
}

TEST(DifferingEdges, ComeOnceWithEveryVerdict) {
  const graph::Graph graph = chain();
  const Plan none = edited(graph, ""), some = edited(graph, "merge c, d"),
             more = edited(graph, "merge c, d merge a, i");
  const auto edges = differing_edges(graph, {&none, &some, &more});
  ASSERT_EQ(edges.size(), 2u);
  EXPECT_EQ(graph.node(edges[0].edge.consumer).name, "i");
  EXPECT_EQ(graph.node(edges[1].edge.producer).name, "c");
  ASSERT_EQ(edges[1].decisions.size(), 3u);
  EXPECT_FALSE(edges[1].decisions[0]->fused);
  EXPECT_TRUE(edges[1].decisions[1]->fused && edges[1].decisions[2]->fused);
  EXPECT_TRUE(differing_edges(graph, {&some, &some}).empty());
}

TEST(PlanDifferences, AreGroupsByWhatTheyHold) {
  const graph::Graph graph = chain();
  const Plan before = edited(graph, "merge c, d"), after = edited(graph, "merge i, b merge c, d");
  const PlanDifference found = difference(before, after);
  EXPECT_EQ(in_words(before, graph, found.removed), "i | b");
  EXPECT_EQ(in_words(after, graph, found.added), "ib");
  EXPECT_TRUE(difference(before, before).empty());
}

}  // namespace
}  // namespace loopglass::fusion
