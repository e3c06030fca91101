// Nearest misses: what fusing an edge would save, and the smallest change that would make it legal.
#include "core/fusion/near_miss.h"

#include "core/fusion/edits.h"
#include "core/fusion/forced.h"
#include "passes/fusion/mapping.h"
#include "passes/fusion/none.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_graph.h"

#include <gmock/gmock.h>
#include <limits>

namespace loopglass::fusion {
namespace {

using test::edited;
using ::testing::HasSubstr;

graph::Graph network_of_fours(const std::string& body) {
  return test::graph_of("input %x: float32[4x4]\n" + body);
}

NearMiss miss(const graph::Graph& graph, const Plan& plan, const std::string& edge,
              BlockLimits limits = {}) {
  const Edge wanted = find_edge(graph, edge).value();
  auto found = near_misses(BlockRules(graph, limits), plan, CostModel(), 1000).value();
  for (NearMiss& miss : found) {
    const Decision& decision = plan.decisions[miss.decision];
    if (Edge{decision.producer, decision.consumer} == wanted) return std::move(miss);
  }
  throw std::invalid_argument(edge + " is no miss");
}

// The kind of change of the one edge asked for, where the groups are as the edits make them.
std::string change(const std::string& body, const std::string& edits, const std::string& edge,
                   BlockLimits limits = {}) {
  const graph::Graph graph = network_of_fours(body);
  return std::string(name(miss(graph, edited(graph, edits), edge, limits).change.kind));
}

const BlockLimits one_anchor{.anchors = 1};

constexpr const char* triangle = R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Add(%a, %b) "c"
  output %c
)";

TEST(NearMisses, ALegalEdgeCanBeForced) {
  const graph::Graph graph = network_of_fours(triangle);
  const Change change = miss(graph, passes::fuse_nothing(graph, {}).value(), "b:c").change;
  EXPECT_EQ(change.kind, Change::Kind::Force);
  EXPECT_EQ(change.recipe, "--force b:c");
  EXPECT_THAT(change.sentence, HasSubstr("STRATEGY_NONE says no (estimated"));
  EXPECT_EQ(change.numbers.size(), 2u);
}

// Forced edges belong to what the edits begin with; so what comes after them is an edit.
TEST(NearMisses, APlanByHandIsEditedFurther) {
  const graph::Graph graph = network_of_fours(triangle);
  const Change change = miss(graph, edited(graph, ""), "b:c").change;
  EXPECT_EQ(change.kind, Change::Kind::MergeByHand);
  EXPECT_EQ(change.recipe, "merge b, c");
}

TEST(NearMisses, WhatLiesBetweenComesAlong) {
  const graph::Graph graph = network_of_fours(triangle);
  const Change change = miss(graph, edited(graph, ""), "a:c").change;
  EXPECT_EQ(change.kind, Change::Kind::TakeAlong);
  EXPECT_EQ(change.recipe, "merge a, b, c");
  ASSERT_EQ(change.nodes.size(), 1u);
  EXPECT_EQ(graph.node(change.nodes[0]).name, "b");
}

TEST(NearMisses, SayWhenThereIsNone) {
  constexpr const char* products = R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = MatMul(%a, %a) "b"
  %c: float32[4x4] = MatMul(%a, %b) "c"
  output %c
)";
  EXPECT_EQ(change(products, "", "a:c", one_anchor), "none");
  EXPECT_EQ(change(products, "", "b:c", one_anchor), "none");
  EXPECT_EQ(change(products, "", "a:b", one_anchor), "merge-by-hand");
}

// The wide result of the expansion need not be written if the sum expands as it goes.
TEST(NearMisses, AnEndMayDoBetterWithItsNeighbour) {
  const std::string body = R"(
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %e: float32[8x4x4] = Expand(%a) {shape = [8, 1, 1]} "e"
  %b: float32[1x4x4] = ReduceSum(%e) {axes = [0]} "b"
  output %b
)";
  const graph::Graph graph = network_of_fours(body);
  const NearMiss found = miss(graph, edited(graph, "merge a, e"), "e:b", one_anchor);
  EXPECT_EQ(found.change.kind, Change::Kind::SplitFirst);
  EXPECT_EQ(found.change.recipe, "split e merge e, b");
  EXPECT_EQ(found.saved_bytes, 2 * 8 * 64);
  EXPECT_EQ(found.change.numbers[0].second, 2 * 8 * 64);
  // Relu is as large as what it reads: nothing would be gained.
  const std::string same = R"(
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %e: float32[4x4] = Relu(%a) "e"
  %b: float32[1x4] = ReduceSum(%e) {axes = [0]} "b"
  output %b
)";
  EXPECT_EQ(change(same, "merge a, e", "e:b", one_anchor), "none");
}

TEST(NearMisses, WhatAPersonForbadeAPersonCanAllow) {
  const graph::Graph graph = network_of_fours(triangle);
  PlanOptions options;
  options.constraints.forbidden = {find_edge(graph, "b:c").value()};
  EXPECT_EQ(miss(graph, edited(graph, "", options), "b:c").change.kind,
            Change::Kind::LiftConstraint);
  const Change split = miss(graph, edited(graph, "merge a, b split a"), "a:b").change;
  EXPECT_EQ(split.kind, Change::Kind::LiftConstraint);
  EXPECT_THAT(split.sentence, HasSubstr("split a"));
}

TEST(NearMisses, NameTheForbiddenEdge) {
  const graph::Graph graph = network_of_fours(triangle);
  PlanOptions options;
  options.constraints.forbidden = {find_edge(graph, "a:c").value()};
  const Change between = miss(graph, edited(graph, "merge a, b", options), "b:c").change;
  EXPECT_EQ(between.sentence, "allow it again: leave out --forbid a:c");
  EXPECT_THAT(between.allowed, ::testing::ElementsAre(find_edge(graph, "a:c").value()));
}

TEST(NearMisses, NoLimitIsToBeRaisedThatNobodyCanRaise) {
  const graph::Graph graph = network_of_fours(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Abs(%b) "c"
  output %c
)");
  const Change change = miss(graph, edited(graph, "merge a, b"), "b:c", {.operators = 2}).change;
  EXPECT_EQ(change.kind, Change::Kind::None);
  EXPECT_THAT(change.sentence, HasSubstr("more than the limit of 2"));
}

constexpr const char* two_products = R"(
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %b: float32[4x4] = MatMul(%a, %x) "b"
  output %b
)";

TEST(NearMisses, WhoeverForcesMayLeaveTheCache) {
  const graph::Graph graph = network_of_fours(two_products);
  const Change change =
      miss(graph, passes::fuse_nothing(graph, {}).value(), "a:b", {.workspace_bytes = 32}).change;
  EXPECT_EQ(change.kind, Change::Kind::Force);
  EXPECT_THAT(change.sentence, HasSubstr("may leave the cache"));
  EXPECT_EQ(change.recipe, "--force a:b");
}

// One kernel of two products writes the first one all the same, and reads it again.
TEST(NearMisses, WhatMovesIntoAWorkspaceIsNotSaved) {
  const graph::Graph graph = network_of_fours(two_products);
  const NearMiss found = miss(graph, edited(graph, ""), "a:b");
  EXPECT_EQ(found.saved_bytes, 0);
  EXPECT_EQ(found.workspace_bytes, 64);
  EXPECT_TRUE(found.saves_write);
  EXPECT_THAT(found.change.sentence, HasSubstr("64 B move into the kernel's workspace"));
}

// No reader is dropped: that would be another network.
TEST(NearMisses, OtherReadersComeAlong) {
  const graph::Graph graph = network_of_fours(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Add(%a, %b) "c"
  %d: float32[4x4] = Abs(%a) "d"
  output %c
  output %d
)");
  Plan plan = edited(graph, "");
  for (Decision& decision : plan.decisions) decision.reason = Reason::IntermediateStillUsed;
  const Change along = miss(graph, plan, "a:c").change;
  EXPECT_EQ(along.kind, Change::Kind::TakeAlong);
  EXPECT_EQ(along.recipe, "merge a, b, c");
  const Change still_written = miss(graph, plan, "a:d").change;
  EXPECT_EQ(still_written.kind, Change::Kind::MergeByHand);
  EXPECT_THAT(still_written.sentence, HasSubstr("a is still written, for b, c"));
}

// What comes along saves as well: the edges a -> b, b -> c and a -> c.
TEST(NearMisses, CountWhatTravelsTogether) {
  const graph::Graph graph = network_of_fours(triangle);
  EXPECT_EQ(miss(graph, edited(graph, ""), "a:c").saved_bytes, 64 + 2 * 64 + 64 + 64);
}

// What can be done before what cannot, what saves time before what does not, and what stays in the
// cache before what may not; then by bytes.
TEST(NearMisses, WhatSavesMostBytesComesFirst) {
  const graph::Graph graph = test::random_graph(3, 14);
  const Plan plan = passes::fuse_nothing(graph, {}).value();
  const auto misses = near_misses(BlockRules(graph), plan, CostModel(), 100).value();
  const auto rank = [](const NearMiss& miss) {
    return std::tuple(miss.change.kind == Change::Kind::None, miss.saved_microseconds < -1e-4,
                      !saves_time(miss), miss.leaves_cache, -miss.saved_bytes);
  };
  for (std::size_t i = 1; i < misses.size(); ++i) EXPECT_LE(rank(misses[i - 1]), rank(misses[i]));
  ASSERT_GT(misses.size(), 2u);
  EXPECT_GT(misses.front().saved_bytes, misses.back().saved_bytes);
}

TEST(NearMisses, ATimeIsSavedBeyondTheErrorOrNotAtAll) {
  const auto miss = [](Gain gain, double microseconds, Change::Kind kind = Change::Kind::Force) {
    NearMiss made;
    made.gain = gain;
    made.saved_microseconds = microseconds;
    made.change.kind = kind;
    return made;
  };
  EXPECT_TRUE(saves_time(miss(Gain::Gain, 3)));
  EXPECT_FALSE(saves_time(miss(Gain::None, 3)));
  EXPECT_FALSE(saves_time(miss(Gain::Loss, -3)));
  EXPECT_TRUE(saves_time(miss(Gain::Unknown, 3)));
  EXPECT_FALSE(saves_time(miss(Gain::Unknown, 0)));
  EXPECT_FALSE(saves_time(miss(Gain::Unknown, 3, Change::Kind::None)));
}

// A workspace that leaves the cache is not weighed as time, so it is not what is proposed first.
TEST(NearMisses, WhatMayLeaveTheCacheComesLater) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[512x512]
  %a: float32[512x512] = MatMul(%x, %x) "a"
  %b: float32[512x512] = MatMul(%a, %x) "b"
  %c: float32[512x512] = Relu(%b) "c"
  output %c
)");
  const Plan plan = passes::fuse_nothing(graph, {}).value();
  const auto misses = near_misses(BlockRules(graph), plan, CostModel(), 10).value();
  ASSERT_EQ(misses.size(), 2u);
  EXPECT_FALSE(misses[0].leaves_cache);
  EXPECT_TRUE(misses[1].leaves_cache);
  EXPECT_EQ(misses[1].saved_bytes, 0);
}

TEST(NearMisses, CountAWriteOnlyWhereNobodyElseNeedsIt) {
  const graph::Graph graph = network_of_fours(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Neg(%a) "b"
  %c: float32[4x4] = Abs(%a) "c"
  %d: float32[4x4] = Exp(%b) "d"
  %e: float32[4x4] = Exp(%c) "e"
  output %b
  output %d
  output %e
)");
  const Plan plan = edited(graph, "");
  EXPECT_EQ(miss(graph, plan, "a:b").saved_bytes, 64);  // c reads it as well
  EXPECT_EQ(miss(graph, plan, "b:d").saved_bytes, 64);  // a result of the network
  EXPECT_EQ(miss(graph, plan, "c:e").saved_bytes, 128);
  EXPECT_EQ(miss(graph, edited(graph, "merge a, c"), "a:b").saved_bytes,
            128);  // c is in the kernel
  const auto all = near_misses(BlockRules(graph), plan, CostModel(), 2).value();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_GE(all[0].saved_bytes, all[1].saved_bytes);
}

TEST(NearMisses, AValueReadTwiceByOneOperatorIsOneMiss) {
  const graph::Graph graph = network_of_fours(R"(
  %a: float32[4x4] = Relu(%x) "a"
  %b: float32[4x4] = Mul(%a, %a) "b"
  output %b
)");
  EXPECT_EQ(near_misses(BlockRules(graph), edited(graph, ""), CostModel()).value().size(), 1u);
}

TEST(NearMisses, CanBeFollowedAndStopped) {
  using ::testing::ElementsAre;
  const graph::Graph graph = network_of_fours(triangle);
  const Plan plan = edited(graph, "");
  const BlockRules rules(graph);
  std::vector<double> told;
  const Cancellation stop;
  const Progress stop_later = [&](std::string_view, double fraction) {
    told.push_back(fraction);
    if (fraction > 0) stop.request();
  };
  const auto stopped = near_misses(rules, plan, CostModel(), 10, stop_later, stop);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::Cancelled);
  EXPECT_THAT(told, ElementsAre(0.0, 1.0 / 3));
  told.clear();
  EXPECT_TRUE(near_misses(rules, plan, CostModel(), 10, stop_later));  // nobody listens to the stop
  EXPECT_THAT(told, ElementsAre(0.0, 1.0 / 3, 2.0 / 3));
}

// What is recommended works, and where nothing is, nothing does.
TEST(NearMisses, OnRandomGraphsRecipesHold) {
  std::map<Change::Kind, int> seen;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const graph::Graph graph = test::random_graph(seed, 14);
    const Plan plan = passes::fuse_by_mapping(graph, {}).value();
    const BlockRules rules(graph, one_anchor);
    const auto misses = near_misses(rules, plan, CostModel(), 100).value();
    for (const NearMiss& miss : misses) {
      const Decision& decision = plan.decisions[miss.decision];
      ++seen[miss.change.kind];
      std::string recipe = miss.change.recipe;
      if (recipe.starts_with("--force")) {
        PlanOptions options;
        options.constraints.forced = {
            find_edge(graph, recipe.substr(std::string("--force ").size())).value()};
        const auto forced = forcing_last(passes::fuse_by_mapping)(graph, options);
        ASSERT_TRUE(forced) << recipe << ": " << to_string(forced.error());
        EXPECT_EQ(forced->group_of(decision.producer), forced->group_of(decision.consumer))
            << recipe;
        continue;
      }
      if (recipe.empty())
        recipe = "merge " + graph.node(decision.producer).name + ", " +
                 graph.node(decision.consumer).name;
      const auto merged = apply_edits(rules, plan, parse_edits(recipe).value(), {});
      EXPECT_EQ(merged.has_value(), !miss.change.recipe.empty())
          << name(miss.change.kind) << ": " << recipe;
      if (!merged) continue;
      EXPECT_EQ(merged->group_of(decision.producer), merged->group_of(decision.consumer)) << recipe;
    }
  }
  EXPECT_GT(seen[Change::Kind::Force] + seen[Change::Kind::MergeByHand], 0);
  EXPECT_GT(seen[Change::Kind::TakeAlong], 0);
  EXPECT_GT(seen[Change::Kind::None], 0);
}

}  // namespace
}  // namespace loopglass::fusion
