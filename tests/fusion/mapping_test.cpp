// DNNFusion's greedy growth: from the smallest one-to-one operator, forwards and then backwards, as
// the table of combinations and the cost model say.
#include "passes/fusion/mapping.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

graph::Graph network_of_images(const std::string& lines) {
  return test::graph_of("input %x: float32[1x8x16x16]\n" + lines + "\noutput %y");
}

Plan planned(const graph::Graph& graph, const PlanOptions& options = {}) {
  auto plan = passes::fuse_by_mapping(graph, options);
  EXPECT_TRUE(plan) << to_string(plan.error());
  EXPECT_TRUE(verify(*plan, graph));
  return *plan;
}

TEST(Mapping, GrowsForwardsAndBackwardsFromASeed) {
  const graph::Graph graph = network_of_images(R"(
  %p: float32[1x8x16x16] = MaxPool(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} "p"
  %r: float32[1x8x16x16] = Relu(%p) "r"
  %y: float32[8x256] = Reshape(%r) {shape = [8, 256]} "y")");
  EXPECT_EQ(planned(graph).groups.size(), 1u);
}

TEST(Mapping, NeverJoinsTwoManyToManyOperators) {
  const graph::Graph graph = network_of_images(R"(
  %p: float32[1x8x16x16] = MaxPool(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} "p"
  %r: float32[1x8x16x16] = Relu(%p) "r"
  %y: float32[1x8x1x1] = GlobalAveragePool(%r) "y")");
  const Plan plan = planned(graph);
  EXPECT_EQ(plan.groups.size(), 2u);
  const Decision& apart = plan.decisions[0].fused ? plan.decisions[1] : plan.decisions[0];
  EXPECT_EQ(name(apart.reason), "NEVER_PROFITABLE");
}

TEST(Mapping, SaysWhichSeedGrewWhere) {
  const graph::Graph graph = network_of_images(R"(
  %a: float32[1x8x16x16] = Relu(%x) "a"
  %b: float32[1x8x16x16] = Abs(%a) "b"
  %y: float32[1x8x16x16] = Neg(%b) "y")");
  PlanOptions options;
  options.record_events = true;
  const Plan plan = planned(graph, options);
  ASSERT_FALSE(plan.events.empty());
  EXPECT_EQ(plan.events.front().kind, PlanEvent::Kind::Seed);
  EXPECT_EQ(
      std::count_if(plan.events.begin(), plan.events.end(),
                    [](const PlanEvent& event) { return event.kind == PlanEvent::Kind::Merge; }),
      2);
}

TEST(Mapping, LeavesAForbiddenEdgeApart) {
  const graph::Graph graph = network_of_images(R"(
  %a: float32[1x8x16x16] = Relu(%x) "a"
  %y: float32[1x8x16x16] = Neg(%a) "y")");
  PlanOptions options;
  options.constraints.forbidden.insert({graph.nodes()[0]->id, graph.nodes()[1]->id});
  const Plan plan = planned(graph, options);
  EXPECT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(name(test::decision_on(plan, graph, "a:y").reason), "FORCED_APART");
}

}  // namespace
}  // namespace loopglass::fusion
