// Edges that are fused have a reason as well: the rule that let them be, with what it found.
#include "core/fusion/edits.h"
#include "passes/fusion/dominator.h"
#include "passes/fusion/dynamic_programming.h"
#include "passes/fusion/mapping.h"
#include "passes/fusion/none.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_network.h"

#include <gmock/gmock.h>

namespace loopglass::fusion {
namespace {

using test::decision_on;
using ::testing::HasSubstr;

graph::Graph network_of_squares(const std::string& lines) {
  return test::graph_of("input %x: float32[8x8]\n" + lines);
}

const char* const product_and_epilogue = R"(
  %m: float32[8x8] = MatMul(%x, %x) "m"
  %l: float32[8x8] = Neg(%m) "l"
  %r: float32[8x8] = Add(%m, %l) "r"
  output %r)";

TEST(FusedByDominators, PhaseKindsAndPathAreTold) {
  const graph::Graph graph = network_of_squares(product_and_epilogue);
  const Plan plan = passes::fuse_by_dominators(graph, {}).value();
  const Decision& edge = decision_on(plan, graph, "m:l");
  EXPECT_TRUE(edge.fused);
  EXPECT_EQ(edge.condition,
            "phase 0: path kind(m .. r) = Elementwise, must be Elementwise; "
            "kind(groups between) = Elementwise, must be Broadcast at most; "
            "kind(group of r) = Elementwise, must be Broadcast at most");
  EXPECT_EQ(
      edge.sentence,
      "In phase 0, m (OutElementwiseFusable) goes with its post-dominator r: the edges on the "
      "path join to Elementwise, the 1 groups between are Elementwise at most, and the group of "
      "r is Elementwise, where Broadcast at most is allowed.");
  EXPECT_EQ(edge.numbers.front(), (std::pair<std::string, double>{"phase", 0}));
}

TEST(FusedByDominators, PhaseOneIsToldOfWhatWaitedForIt) {
  const graph::Graph graph = network_of_squares(R"(
  %t: float32[8x8] = Transpose(%x) "t"
  %r: float32[8x8] = Relu(%t) "r"
  output %r)");
  const Plan plan = passes::fuse_by_dominators(graph, {}).value();
  EXPECT_EQ(decision_on(plan, graph, "t:r").condition,
            "phase 1: kind(group of r) = Elementwise, must be Injective at most");
}

TEST(FusedByMapping, TheTableIsTold) {
  const graph::Graph graph = network_of_squares(product_and_epilogue);
  const Plan plan = passes::fuse_by_mapping(graph, {}).value();
  const Decision& edge = decision_on(plan, graph, "l:r");
  EXPECT_EQ(edge.condition, "combine(one-to-one then one-to-one) = always");
  EXPECT_EQ(edge.sentence,
            "l is one-to-one and r is one-to-one, which always pays: the result is one-to-one.");
}

TEST(FusedBySearch, BothCostsAreTold) {
  const graph::Graph graph = network_of_squares(product_and_epilogue);
  const Plan plan = passes::fuse_by_dynamic_programming(graph, {}).value();
  const Decision& edge = decision_on(plan, graph, "m:l");
  EXPECT_THAT(edge.condition, HasSubstr("cost(fused) = "));
  EXPECT_THAT(edge.sentence, HasSubstr(" % cut between m and l."));
  EXPECT_EQ(edge.numbers[0].first, "microseconds fused");
  EXPECT_LE(edge.numbers[0].second, edge.numbers[1].second);
}

TEST(FusedEdges, HaveAConditionByEveryStrategy) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const graph::Graph graph =
        test::random_network(seed, {.operators = 15, .type = DataType::Float32});
    for (auto* strategy : {&passes::fuse_by_dominators, &passes::fuse_by_mapping,
                           &passes::fuse_by_dynamic_programming}) {
      const Plan plan = (*strategy)(graph, {}).value();
      for (const Decision& decision : plan.decisions) {
        EXPECT_FALSE(decision.condition.empty())
            << plan.strategy << ", seed " << seed << ": " << graph.node(decision.producer).name
            << " -> " << graph.node(decision.consumer).name << ", " << decision.sentence;
      }
    }
  }
}

// A strategy that begins with a forced edge says so, in its first steps and on the edge.
TEST(ForcedEdges, AreToldBeforeTheRules) {
  const graph::Graph graph = network_of_squares(R"(
  %a: float32[8x1] = ReduceSum(%x) {axes = [1]} "a"
  %b: float32[8x1] = Neg(%a) "b"
  %c: float32[8x1] = Abs(%b) "c"
  output %c)");
  PlanOptions options;
  options.record_events = true;
  options.constraints.forced = {find_edge(graph, "a:b").value()};
  for (auto* strategy : {&passes::fuse_by_dominators, &passes::fuse_by_mapping,
                         &passes::fuse_by_dynamic_programming, &passes::fuse_nothing}) {
    const Plan plan = (*strategy)(graph, options).value();
    ASSERT_GE(plan.events.size(), 2u) << plan.strategy;
    EXPECT_EQ(plan.events[0].kind, PlanEvent::Kind::Phase);
    EXPECT_EQ(plan.events[1].kind, PlanEvent::Kind::Merge);
    EXPECT_EQ(plan.events[1].sentence, "As was asked for, a and b share a kernel.");
    EXPECT_EQ(decision_on(plan, graph, "a:b").condition, "forced by hand = yes") << plan.strategy;
  }
}

}  // namespace
}  // namespace loopglass::fusion
