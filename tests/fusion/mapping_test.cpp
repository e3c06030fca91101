// DNNFusion's greedy growth: from the smallest one-to-one operator, forwards and then backwards, as the
// table of combinations and the cost model say.
#include "core/graph/text.h"
#include "passes/fusion/mapping.h"

#include <gtest/gtest.h>

namespace loopglass::fusion {
namespace {

graph::Graph parsed(const std::string& lines) {
  auto graph = graph::parse("graph \"g\" {\n  input %x: float32[1x8x16x16]\n" + lines + "  output %y\n}\n");
  EXPECT_TRUE(graph) << to_string(graph.error());
  return *graph;
}

Plan planned(const graph::Graph& graph, const PlanOptions& options = {}) {
  auto plan = passes::fuse_by_mapping(graph, options);
  EXPECT_TRUE(plan) << to_string(plan.error());
  EXPECT_TRUE(verify(*plan, graph));
  return *plan;
}

const Decision& decision_on(const Plan& plan, const graph::Graph& graph, std::size_t producer, std::size_t consumer) {
  return *std::find_if(plan.decisions.begin(), plan.decisions.end(), [&](const Decision& decision) {
    return graph.position(decision.producer) == producer && graph.position(decision.consumer) == consumer;
  });
}

TEST(Mapping, GrowsForwardsAndBackwardsFromASeed) {
  const graph::Graph graph = parsed(R"(  %p: float32[1x8x16x16] = MaxPool(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} "p"
  %r: float32[1x8x16x16] = Relu(%p) "r"
  %y: float32[8x256] = Reshape(%r) {shape = [8, 256]} "y"
)");
  EXPECT_EQ(planned(graph).groups.size(), 1u);
}

TEST(Mapping, NeverJoinsTwoManyToManyOperators) {
  const graph::Graph graph = parsed(R"(  %p: float32[1x8x16x16] = MaxPool(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} "p"
  %r: float32[1x8x16x16] = Relu(%p) "r"
  %y: float32[1x8x1x1] = GlobalAveragePool(%r) "y"
)");
  const Plan plan = planned(graph);
  EXPECT_EQ(plan.groups.size(), 2u);
  const Decision& apart = plan.decisions[0].fused ? plan.decisions[1] : plan.decisions[0];
  EXPECT_EQ(name(apart.reason), "NEVER_PROFITABLE");
}

TEST(Mapping, SaysWhichSeedGrewWhere) {
  const graph::Graph graph = parsed(R"(  %a: float32[1x8x16x16] = Relu(%x) "a"
  %b: float32[1x8x16x16] = Abs(%a) "b"
  %y: float32[1x8x16x16] = Neg(%b) "y"
)");
  PlanOptions options;
  options.record_events = true;
  const Plan plan = planned(graph, options);
  ASSERT_FALSE(plan.events.empty());
  EXPECT_EQ(plan.events.front().kind, PlanEvent::Kind::Seed);
  EXPECT_EQ(std::count_if(plan.events.begin(), plan.events.end(),
                          [](const PlanEvent& event) { return event.kind == PlanEvent::Kind::Merge; }), 2);
}

TEST(Mapping, LeavesAForbiddenEdgeApart) {
  const graph::Graph graph = parsed(R"(  %a: float32[1x8x16x16] = Relu(%x) "a"
  %y: float32[1x8x16x16] = Neg(%a) "y"
)");
  PlanOptions options;
  options.constraints.forbidden.insert({graph.nodes()[0]->id, graph.nodes()[1]->id});
  const Plan plan = planned(graph, options);
  EXPECT_EQ(plan.groups.size(), 2u);
  EXPECT_EQ(name(decision_on(plan, graph, 0, 1).reason), "FORCED_APART");
}

}  // namespace
}  // namespace loopglass::fusion
