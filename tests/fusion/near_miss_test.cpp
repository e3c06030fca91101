// Nearest misses: what fusing an edge would save, and the smallest change that would make it legal.
#include "core/fusion/near_miss.h"

#include "core/fusion/edits.h"
#include "core/graph/text.h"
#include "passes/fusion/manual.h"
#include "passes/fusion/mapping.h"
#include "passes/fusion/none.h"
#include "tests/random/random_graph.h"

#include <gmock/gmock.h>

namespace loopglass::fusion {
namespace {

using ::testing::HasSubstr;

graph::Graph parsed(const std::string& body) {
  auto graph = graph::parse("graph \"g\" {\n  input %x: float32[4x4]\n" + body + "}\n");
  if (!graph) throw std::invalid_argument(to_string(graph.error()));
  return *std::move(graph);
}

Plan plan_by_hand(const graph::Graph& graph, const std::string& edits, PlanOptions options = {}) {
  options.edits = std::make_shared<const EditScript>(parse_edits(edits).value());
  auto plan = passes::fuse_by_hand({{"none", "", passes::fuse_nothing}}).plan(graph, options);
  if (!plan) throw std::invalid_argument(to_string(plan.error()));
  return *std::move(plan);
}

NearMiss miss(const graph::Graph& graph, const Plan& plan, const std::string& edge, BlockLimits limits = {}) {
  const Edge wanted = find_edge(graph, edge).value();
  for (NearMiss& miss : near_misses(BlockRules(graph, limits), plan, CostModel(), 1000)) {
    const Decision& decision = plan.decisions[miss.decision];
    if (Edge{decision.producer, decision.consumer} == wanted) return std::move(miss);
  }
  throw std::invalid_argument(edge + " is no miss");
}

// The kind of change of the one edge asked for, where the groups are as the edits make them.
std::string change(const std::string& body, const std::string& edits, const std::string& edge, BlockLimits limits = {}) {
  const graph::Graph graph = parsed(body);
  return std::string(name(miss(graph, plan_by_hand(graph, edits), edge, limits).change.kind));
}

const BlockLimits one_anchor{.anchors = 1};

constexpr const char* triangle = R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Add(%a, %b) "c"
  output %c
)";

TEST(NearMisses, ALegalEdgeCanBeForced) {
  const graph::Graph graph = parsed(triangle);
  const Change change = miss(graph, plan_by_hand(graph, ""), "b:c").change;
  EXPECT_EQ(change.kind, Change::Kind::Force);
  EXPECT_EQ(change.recipe, "--force b:c");
  EXPECT_THAT(change.sentence, HasSubstr("STRATEGY_NONE says no (estimated"));
  EXPECT_EQ(change.numbers.size(), 2u);
}

TEST(NearMisses, WhatLiesBetweenComesAlong) {
  const graph::Graph graph = parsed(triangle);
  const Change change = miss(graph, plan_by_hand(graph, ""), "a:c").change;
  EXPECT_EQ(change.kind, Change::Kind::TakeAlong);
  EXPECT_EQ(change.recipe, "merge a, b, c");
  ASSERT_EQ(change.nodes.size(), 1u);
  EXPECT_EQ(graph.node(change.nodes[0]).name, "b");
}

// To force b:c would take b away from a.
TEST(NearMisses, KernelsOfSeveralOperatorsAreMergedWhole) {
  EXPECT_EQ(change(triangle, "merge a, b", "a:c"), "merge-by-hand");
  EXPECT_EQ(change(triangle, "merge a, b", "b:c"), "merge-by-hand");
  EXPECT_EQ(change(triangle, "", "b:c"), "force");
}

TEST(NearMisses, SayWhenThereIsNone) {
  constexpr const char* products = R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = MatMul(%a, %a) "b"
  %c: float32[4x4] = MatMul(%a, %b) "c"
  output %c
)";
  EXPECT_EQ(change(products, "", "a:c", one_anchor), "none");
  EXPECT_EQ(change(products, "", "b:c", one_anchor), "raise-limit");
  EXPECT_EQ(change(products, "", "a:b", one_anchor), "force");
}

// The wide result of the expansion need not be written if the second product expands.
TEST(NearMisses, AnEndMayDoBetterWithItsNeighbour) {
  const std::string body = R"(
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %e: float32[8x4x4] = Expand(%a) {shape = [8, 1, 1]} "e"
  %b: float32[8x4x4] = MatMul(%e, %x) "b"
  output %b
)";
  const graph::Graph graph = parsed(body);
  const Change change = miss(graph, plan_by_hand(graph, "merge a, e"), "e:b", one_anchor).change;
  EXPECT_EQ(change.kind, Change::Kind::SplitFirst);
  EXPECT_EQ(change.recipe, "split e merge e, b");
  EXPECT_EQ(change.numbers[0].second, 2 * (8 - 1) * 64);
  // Relu is as large as what it reads: nothing would be gained.
  const std::string same = R"(
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %e: float32[4x4] = Relu(%a) "e"
  %b: float32[4x4] = MatMul(%e, %x) "b"
  output %b
)";
  EXPECT_EQ(loopglass::fusion::change(same, "merge a, e", "e:b", one_anchor), "raise-limit");
}

TEST(NearMisses, WhatAPersonForbadeAPersonCanAllow) {
  const graph::Graph graph = parsed(triangle);
  PlanOptions options;
  options.constraints.forbidden = {find_edge(graph, "b:c").value()};
  EXPECT_EQ(miss(graph, plan_by_hand(graph, "", options), "b:c").change.kind, Change::Kind::LiftConstraint);
  const Change split = miss(graph, plan_by_hand(graph, "merge a, b split a"), "a:b").change;
  EXPECT_EQ(split.kind, Change::Kind::LiftConstraint);
  EXPECT_THAT(split.sentence, HasSubstr("split a"));
}

TEST(NearMisses, ALimitCanBeRaised) {
  const graph::Graph graph = parsed(triangle);
  const NearMiss found = miss(graph, plan_by_hand(graph, "merge a, b"), "b:c", {.operators = 2});
  EXPECT_EQ(found.change.kind, Change::Kind::RaiseLimit);
  EXPECT_EQ(found.change.sentence, "raise the limit of operators from 2 to 3");
}

TEST(NearMisses, WhoeverForcesMayLeaveTheCache) {
  const graph::Graph graph = parsed(R"(
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %b: float32[4x4] = MatMul(%a, %x) "b"
  output %b
)");
  const Change change = miss(graph, plan_by_hand(graph, ""), "a:b", {.workspace_bytes = 32}).change;
  EXPECT_EQ(change.kind, Change::Kind::RaiseLimit);
  EXPECT_THAT(change.sentence, HasSubstr("from 32 to 64"));
  EXPECT_EQ(change.recipe, "--force a:b");
}

TEST(NearMisses, OtherReadersAreNamed) {
  const graph::Graph graph = parsed(triangle);
  Plan plan = plan_by_hand(graph, "");
  for (Decision& decision : plan.decisions) decision.reason = Reason::IntermediateStillUsed;
  const Change change = miss(graph, plan, "a:b").change;
  EXPECT_EQ(change.kind, Change::Kind::DropReaders);
  EXPECT_EQ(change.sentence, "drop the other reader: c; or write the value for them and fuse all the same");
  EXPECT_EQ(change.recipe, "--force a:b");
}

TEST(NearMisses, CountAWriteOnlyWhereNobodyElseNeedsIt) {
  const graph::Graph graph = parsed(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Abs(%a) "c"
  %d: float32[4x4] = Exp(%b) "d"
  %e: float32[4x4] = Exp(%c) "e"
  output %b
  output %d
  output %e
)");
  const Plan plan = plan_by_hand(graph, "");
  EXPECT_EQ(miss(graph, plan, "a:b").saved_bytes, 64);   // c reads it as well
  EXPECT_EQ(miss(graph, plan, "b:d").saved_bytes, 64);   // a result of the network
  EXPECT_EQ(miss(graph, plan, "c:e").saved_bytes, 128);
  EXPECT_EQ(miss(graph, plan_by_hand(graph, "merge a, c"), "a:b").saved_bytes, 128);  // c is in the kernel
  const auto all = near_misses(BlockRules(graph), plan, CostModel(), 2);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(graph.node(plan.decisions[all[0].decision].producer).name, "c");
  EXPECT_GE(all[0].saved_bytes, all[1].saved_bytes);
}

TEST(NearMisses, AValueReadTwiceByOneOperatorIsOneMiss) {
  const graph::Graph graph = parsed(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Mul(%a, %a) "b"
  output %b
)");
  EXPECT_EQ(near_misses(BlockRules(graph), plan_by_hand(graph, ""), CostModel()).size(), 1u);
}

// What is recommended works, and where nothing is, nothing does.
TEST(NearMisses, OnRandomGraphsRecipesHold) {
  std::map<Change::Kind, int> seen;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const graph::Graph graph = testing::random_graph(seed, 14);
    const Plan plan = passes::fuse_by_mapping(graph, {}).value();
    const BlockRules rules(graph, one_anchor);
    for (const NearMiss& miss : near_misses(rules, plan, CostModel(), 100)) {
      const Decision& decision = plan.decisions[miss.decision];
      ++seen[miss.change.kind];
      std::string recipe = miss.change.recipe;
      if (recipe.starts_with("--force")) {
        PlanOptions options;
        options.constraints.forced = {find_edge(graph, recipe.substr(std::string("--force ").size())).value()};
        const auto forced = passes::fuse_by_mapping(graph, options);
        ASSERT_TRUE(forced) << recipe << ": " << to_string(forced.error());
        EXPECT_EQ(forced->group_of(decision.producer), forced->group_of(decision.consumer)) << recipe;
        continue;
      }
      if (recipe.empty()) recipe = "merge " + graph.node(decision.producer).name + ", " + graph.node(decision.consumer).name;
      const auto merged = apply_edits(rules, plan, parse_edits(recipe).value(), {});
      EXPECT_EQ(merged.has_value(), !miss.change.recipe.empty()) << name(miss.change.kind) << ": " << recipe;
      if (!merged) continue;
      EXPECT_EQ(merged->group_of(decision.producer), merged->group_of(decision.consumer)) << recipe;
    }
  }
  EXPECT_GT(seen[Change::Kind::Force] + seen[Change::Kind::MergeByHand], 0);
  EXPECT_GT(seen[Change::Kind::RaiseLimit] + seen[Change::Kind::None], 0);
}

}  // namespace
}  // namespace loopglass::fusion
