// What may be one kernel: the loop nests that a block becomes, what it keeps aside between them,
// and a refusal for each way of asking too much.
#include "core/fusion/block.h"
#include "core/fusion/partition_builder.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace loopglass::fusion {
namespace {

graph::Graph network(const std::string& lines) {
  return test::graph_of("input %x: float32[4x64] input %image: float32[1x8x16x16]\n" + lines +
                        "\noutput %y");
}

std::vector<std::size_t> all_of(const graph::Graph& graph) {
  std::vector<std::size_t> nodes(graph.nodes().size());
  std::iota(nodes.begin(), nodes.end(), 0);
  return nodes;
}

std::vector<std::string> kept_in(const BlockRules& rules, const std::vector<std::size_t>& nodes) {
  const BlockRules::Nests nests = rules.nests(nodes);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t o = 0; o < nests.kept[i].size(); ++o)
      if (nests.kept[i][o])
        names.push_back(rules.graph().value(rules.outputs(nodes[i])[o].value).name);
  return names;
}

std::string refusal_of(const graph::Graph& graph, const BlockLimits& limits = {}) {
  const auto refusal = BlockRules(graph, limits).refuse(all_of(graph));
  return refusal ? std::string(name(refusal->reason)) : "none";
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Blocks, AnEpilogueGoesOnFromRegisters) {
  const graph::Graph graph = network(R"(
  %s: float32[4x1] = ReduceSum(%x) {axes = [1]} "s"
  %r: float32[4x1] = Relu(%s) "r"
  %y: float32[4x1] = Mul(%r, %s) "y")");
  const BlockRules rules(graph);
  EXPECT_THAT(kept_in(rules, {0, 1, 2}), IsEmpty());
  EXPECT_EQ(rules.nests(all_of(graph)).nest, (std::vector<std::size_t>{0, 0, 0}));
  EXPECT_EQ(rules.workspace(all_of(graph)), 0);
}

// (x - mean) / sqrt(variance + x): two sums over the same rows, of which only the sums themselves
// are kept; the difference is computed again where it is read.
TEST(Blocks, ALayerNormalisationKeepsItsTwoSums) {
  const graph::Graph graph = network(R"(
  %mean: float32[4x1] = ReduceMean(%x) {axes = [1]} "mean"
  %d: float32[4x64] = Sub(%x, %mean) "d"
  %sq: float32[4x64] = Mul(%d, %d) "sq"
  %var: float32[4x1] = ReduceMean(%sq) {axes = [1]} "var"
  %root: float32[4x1] = Sqrt(%var) "root"
  %y: float32[4x64] = Div(%d, %root) "y")");
  const BlockRules rules(graph);
  EXPECT_THAT(kept_in(rules, all_of(graph)), ElementsAre("mean", "root"));
  EXPECT_EQ(rules.workspace(all_of(graph)), 2 * 4 * 4);
  EXPECT_EQ(refusal_of(graph), "none");
}

// What a later reduction reads again, and an operand that has to wait for it.
TEST(Blocks, SqueezeAndExciteKeepsTheImage) {
  const graph::Graph graph = network(R"(
  %p: float32[1x8x16x16] = AveragePool(%image) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} "p"
  %r: float32[1x8x16x16] = Relu(%p) "r"
  %squeeze: float32[1x8x1x1] = GlobalAveragePool(%r) "squeeze"
  %gate: float32[1x8x1x1] = Sigmoid(%squeeze) "gate"
  %y: float32[1x8x16x16] = Mul(%r, %gate) "y")");
  const BlockRules rules(graph);
  EXPECT_THAT(kept_in(rules, all_of(graph)), ElementsAre("r", "gate"));
  EXPECT_EQ(refusal_of(graph, {.workspace_bytes = 8 * 16 * 16 * 4 + 8 * 4}), "none");
  EXPECT_EQ(refusal_of(graph, {.workspace_bytes = 8 * 16 * 16 * 4}), "WORKING_SET");
}

// What an earlier nest has read back is computed before it, and cannot wait for a later reader.
TEST(Blocks, APrologueThatIsKeptHasANestOfItsOwn) {
  const graph::Graph graph = network(R"(
  %r: float32[1x8x16x16] = Sigmoid(%image) "r"
  %squeeze: float32[1x8x1x1] = GlobalAveragePool(%r) "squeeze"
  %y: float32[1x8x16x16] = Mul(%r, %squeeze) "y")");
  const BlockRules rules(graph);
  EXPECT_THAT(kept_in(rules, all_of(graph)), ElementsAre("r", "squeeze"));
  EXPECT_EQ(rules.nests(all_of(graph)).nest, (std::vector<std::size_t>{0, 1, 2}));
}

// One nest writes r for others, and the next reads all of it back: no matter who else wants it.
TEST(Blocks, CountWhatTheyHandOnAlsoWhereItLeavesThem) {
  const graph::Graph graph = network(R"(
  %p: float32[1x8x16x16] = AveragePool(%image) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} "p"
  %r: float32[1x8x16x16] = Relu(%p) "r"
  %y: float32[1x8x16x16] = AveragePool(%r) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} "y"
  output %r)");
  const BlockRules rules(graph);
  EXPECT_THAT(kept_in(rules, all_of(graph)), ElementsAre("r"));
  EXPECT_EQ(rules.workspace(all_of(graph)), 8 * 16 * 16 * 4);
  EXPECT_EQ(refusal_of(graph, {.workspace_bytes = 8 * 16 * 16 * 4 - 1}), "WORKING_SET");
}

TEST(Blocks, HaveOneRefusalForEachLimit) {
  const graph::Graph sums = network(R"(
  %a: float32[4x1] = ReduceSum(%x) {axes = [1]} "a"
  %y: float32[1x1] = ReduceSum(%a) {axes = [0]} "y")");
  EXPECT_EQ(refusal_of(sums), "none");
  EXPECT_EQ(refusal_of(sums, {.anchors = 1}), "SECOND_ANCHOR");
  EXPECT_EQ(refusal_of(sums, {.operators = 1}), "MAX_OPERATORS");
  const graph::Graph inputs = network(R"(
  %a: float32[4x64] = Relu(%x) "a"
  %y: float32[4x64] = Abs(%a) "y")");
  EXPECT_EQ(refusal_of(inputs, {.inputs = 0}), "MAX_INPUTS");
}

TEST(Blocks, DoNotWaitForThemselves) {
  const graph::Graph graph = network(R"(
  %a: float32[4x64] = Relu(%x) "a"
  %b: float32[4x64] = Exp(%a) "b"
  %y: float32[4x64] = Add(%a, %b) "y")");
  const auto refusal = BlockRules(graph).refuse(std::vector<std::size_t>{0, 2});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(name(refusal->reason), "WOULD_CYCLE");
}

// Too large a workspace is a matter of profit, not of possibility.
TEST(Blocks, AreJoinedByForceBeyondTheWorkingSet) {
  const graph::Graph graph = network(R"(
  %a: float32[4x1] = ReduceSum(%x) {axes = [1]} "a"
  %y: float32[4x64] = Add(%x, %a) "y")");
  const BlockRules rules(graph, {.workspace_bytes = 0});
  EXPECT_EQ(name(rules.refuse(all_of(graph))->reason), "WORKING_SET");
  PartitionBuilder partition(rules);
  Constraints constraints;
  constraints.forced.insert(Edge{graph.nodes()[0]->id, graph.nodes()[1]->id});
  const auto forced = partition.force(constraints);
  ASSERT_TRUE(forced) << to_string(forced.error());
  EXPECT_EQ(partition.block_of(0), partition.block_of(1));
}

}  // namespace
}  // namespace loopglass::fusion
