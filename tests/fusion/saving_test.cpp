// What fusing an edge spares, or spared: bytes that are no longer written and read.
#include "core/fusion/saving.h"

#include "core/fusion/near_miss.h"
#include "passes/fusion/mapping.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_graph.h"

#include <gmock/gmock.h>

namespace loopglass::fusion {
namespace {

graph::Graph network_to_edit(const std::string& body) {
  return test::graph_of("input %x: float32[4x4]\n" + body);
}

// Of an edge, where the groups are as the edits make them.
Saving saving_of(const graph::Graph& graph, const std::string& edits, const std::string& edge) {
  const Plan plan = test::edited(graph, edits);
  const BlockRules rules(graph);
  return EdgeSavings(rules, plan)(test::decision_on(plan, graph, edge));
}

constexpr const char* three_in_a_row = R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Abs(%b) "c"
  output %c
)";

// A tensor of 64 bytes is neither written nor read any more.
TEST(Savings, AreTheSameBeforeAndAfterFusing) {
  const graph::Graph graph = network_to_edit(three_in_a_row);
  EXPECT_EQ(saving_of(graph, "", "a:b"), (Saving{128, 0}));
  EXPECT_EQ(saving_of(graph, "merge a, b", "a:b"), (Saving{128, 0}));
  EXPECT_EQ(saving_of(graph, "merge a, b, c", "b:c"), (Saving{128, 0}));
}

TEST(Savings, AWriteIsSparedWhereNobodyElseNeedsTheTensor) {
  const graph::Graph graph = network_to_edit(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Abs(%a) "c"
  output %b
  output %c
)");
  EXPECT_EQ(saving_of(graph, "", "a:b"), (Saving{64, 0}));
  EXPECT_EQ(saving_of(graph, "merge a, b", "a:b"), (Saving{64, 0}));
  EXPECT_EQ(saving_of(graph, "merge a, b, c", "a:b"), (Saving{128, 0}));
}

// Of a chain the edges' savings add up to the plan's. Where two fused edges carry one tensor, each
// would have it written again, and the plan spares that once: the words say what comes between.
TEST(Savings, OfEdgesAddUpToThePlansOrItIsSaidWhyNot) {
  const auto words = [](const graph::Graph& graph, const std::string& edits) {
    const Plan plan = test::edited(graph, edits);
    const BlockRules rules(graph);
    const EdgeSavings savings(rules, plan);
    std::int64_t edges = 0;
    std::size_t fused = 0;
    for (const Decision& decision : plan.decisions) {
      if (!decision.fused) continue;
      ++fused;
      edges += savings(decision).bytes;
    }
    return sum_words(fused, plan_saving(rules, plan).bytes, edges);
  };
  const graph::Graph line = network_to_edit(three_in_a_row);
  EXPECT_EQ(words(line, ""), "no edge is fused, and nothing is saved");
  EXPECT_EQ(words(line, "merge a, b"), "1 fused edge saves 128 B of memory traffic a run");
  EXPECT_EQ(words(line, "merge a, b, c"),
            "2 fused edges save 256 B of memory traffic a run together");
  const graph::Graph fork = network_to_edit(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Abs(%a) "c"
  output %b
  output %c
)");
  EXPECT_EQ(words(fork, "merge a, b, c"),
            "2 fused edges save 192 B of memory traffic a run together; each for itself, as if it "
            "alone were cut, they come to 256 B: what several of them share counts with each "
            "there, and once in the sum");
}

// One kernel of two products writes the first all the same, and reads it again.
TEST(Savings, WhatOnlyMovesIntoAWorkspaceIsNotSpared) {
  const graph::Graph graph = network_to_edit(R"(
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %b: float32[4x4] = MatMul(%a, %x) "b"
  output %b
)");
  EXPECT_EQ(saving_of(graph, "", "a:b"), (Saving{0, 64}));
  EXPECT_EQ(saving_of(graph, "merge a, b", "a:b"), (Saving{0, 64}));
}

// Cut right behind the producer, one tensor goes through memory; right before the consumer, two.
TEST(Savings, AFusedEdgeIsCutWhereThatMovesLeast) {
  const graph::Graph graph = network_to_edit(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Add(%a, %b) "c"
  output %c
)");
  EXPECT_EQ(saving_of(graph, "merge a, b, c", "a:c"), (Saving{128, 0}));
  EXPECT_EQ(saving_of(graph, "merge a, b, c", "b:c"), (Saving{4 * 64, 0}));
}

// A view is no kernel that runs, so there is nothing to be spared by taking it along.
TEST(Savings, OfAViewAreNone) {
  const graph::Graph graph = network_to_edit(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %f: float32[16] = Reshape(%a) {shape = [16]} "f"
  %b: float32[16] = Neg(%f) "b"
  output %b
)");
  EXPECT_EQ(saving_of(graph, "", "a:f"), Saving{});
  EXPECT_EQ(saving_of(graph, "merge a, f", "a:f"), Saving{});
  EXPECT_EQ(saving_of(graph, "", "f:b"), Saving{});
  EXPECT_EQ(saving_of(graph, "merge a, f", "f:b"), (Saving{128, 0}));
}

TEST(Savings, AreSaidInWords) {
  EXPECT_EQ(sentence({128, 0}, false), "In one kernel 128 B less would be written and read.");
  EXPECT_EQ(sentence({128, 64}, true),
            "In one kernel 128 B less are written and read; 64 B only move into its "
            "workspace.");
  EXPECT_EQ(sentence({0, 64}, true),
            "In one kernel as much is written and read as in two; 64 B only move into its "
            "workspace.");
  EXPECT_EQ(sentence({-64, 0}, false), "In one kernel 64 B more would be written and read.");
}

// One truth: a miss that one kernel of both would mend says what the edge says.
TEST(Savings, AreThoseOfTheNearMisses) {
  int compared = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const graph::Graph graph = test::random_graph(seed, 14);
    const Plan plan = passes::fuse_by_mapping(graph, {}).value();
    const BlockRules rules(graph);
    const EdgeSavings savings(rules, plan);
    const auto misses = near_misses(rules, plan, CostModel(), 100).value();
    for (const NearMiss& miss : misses) {
      if (miss.change.kind != Change::Kind::Force && miss.change.kind != Change::Kind::None)
        continue;
      const Saving saving = savings(plan.decisions[miss.decision]);
      EXPECT_EQ(saving, (Saving{miss.saved_bytes, miss.workspace_bytes}));
      ++compared;
    }
  }
  EXPECT_GT(compared, 20);
}

}  // namespace
}  // namespace loopglass::fusion
