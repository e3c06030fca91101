// Forced edges are one edge more in the plan that the strategy makes anyway.
#include "core/fusion/forced.h"

#include "core/fusion/edits.h"
#include "passes/fusion/dominator.h"
#include "passes/fusion/none.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>

namespace loopglass::fusion {
namespace {

using test::decision_on;
using test::graph_of;
using test::groups;
using ::testing::HasSubstr;

// The rules keep the sum apart from what follows it.
graph::Graph sum_and_followers() {
  return graph_of(R"(
  input %x: float32[4x4]
  %a: float32[4x4] = Relu(%x) "a"
  %s: float32[4x1] = ReduceSum(%a) {axes = [1]} "s"
  %b: float32[4x1] = Neg(%s) "b"
  %c: float32[4x1] = Abs(%b) "c"
  output %c)");
}

PlanOptions forcing(const graph::Graph& graph, const std::string& edge) {
  PlanOptions options;
  options.constraints.forced = {find_edge(graph, edge).value()};
  options.record_events = true;
  return options;
}

TEST(ForcedEdges, JoinTheKernelsOfTheStrategy) {
  const graph::Graph graph = sum_and_followers();
  const auto plan = forcing_last(passes::fuse_by_dominators);
  EXPECT_EQ(groups(plan(graph, {}).value(), graph), "{a s} {b c}");
  const Plan forced = plan(graph, forcing(graph, "s:b")).value();
  EXPECT_EQ(groups(forced, graph), "{a s b c}");
  const Decision& edge = decision_on(forced, graph, "s:b");
  EXPECT_TRUE(edge.fused && edge.forced);
  EXPECT_EQ(edge.reason, Reason::Fused);
  EXPECT_THAT(edge.sentence, HasSubstr("REDUCTION_DOES_NOT_FUSE_FORWARD"));
  EXPECT_FALSE(decision_on(forced, graph, "a:s").forced);
  EXPECT_FALSE(decision_on(forced, graph, "b:c").forced);
  EXPECT_EQ(forced.events.back().kind, PlanEvent::Kind::Merge);
  EXPECT_EQ(forced.events.back().sentence, "As was asked for, s and b share a kernel.");
}

TEST(ForcedEdges, ThatAreFusedAnywayChangeNothing) {
  const graph::Graph graph = sum_and_followers();
  const Plan forced =
      forcing_last(passes::fuse_by_dominators)(graph, forcing(graph, "a:s")).value();
  EXPECT_EQ(groups(forced, graph), "{a s} {b c}");
  EXPECT_TRUE(decision_on(forced, graph, "a:s").forced);
}

// The strategy has bc and de, and f waits for one and feeds the other: they cannot be joined.
TEST(ForcedEdges, AreBegunWithWhereKernelsCannotBeJoined) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4]
  %b: float32[4] = Relu(%x) "b"
  %c: float32[4] = Neg(%b) "c"
  %f: float32[4] = Exp(%c) "f"
  %d: float32[4] = Abs(%b) "d"
  %e: float32[4] = Add(%f, %d) "e"
  output %e)");
  const MakePlan strategy = [](const graph::Graph& network, const PlanOptions& options) {
    PlanOptions pairs = options;
    if (pairs.constraints.forced.empty())
      pairs.constraints.forced = {find_edge(network, "b:c").value(),
                                  find_edge(network, "d:e").value()};
    return passes::fuse_nothing(network, pairs);
  };
  EXPECT_EQ(groups(strategy(graph, {}).value(), graph), "{b c} {f} {d e}");
  EXPECT_EQ(groups(forcing_last(strategy)(graph, forcing(graph, "b:d")).value(), graph),
            "{b d} {c} {f} {e}");
}

TEST(ForcedEdges, AreRefusedWithTheReason) {
  const graph::Graph graph = sum_and_followers();
  PlanOptions options = forcing(graph, "s:b");
  options.constraints.forbidden = options.constraints.forced;
  const auto refused = forcing_last(passes::fuse_nothing)(graph, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, "s:b is forced and forbidden");
}

}  // namespace
}  // namespace loopglass::fusion
