// Edges of operators that are not known: apart, whatever the strategy and whoever asks, with the
// operator's own reason.
#include "core/fusion/near_miss.h"
#include "core/fusion/pattern_kind.h"
#include "passes/pipeline.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>

namespace loopglass {
namespace {

using ::testing::HasSubstr;

graph::Graph network() {
  return test::graph_of(R"(
  input %x: float32[64x64]
  %a: float32[64x64] = Relu(%x) "a"
  %o: float32[64x64] = Opaque(%a) {code = 2001, operator = "If", reason = "its condition is not known"} "o"
  %b: float32[64x64] = Neg(%o) "b"
  %c: float32[64x64] = Abs(%b) "c"
  output %c)");
}

class Strategies : public ::testing::TestWithParam<std::string> {
 protected:
  Result<fusion::Plan> plan(const graph::Graph& graph,
                            const fusion::PlanOptions& options = {}) const {
    for (const fusion::Strategy& strategy : passes::toolchain().strategies)
      if (strategy.name == GetParam()) return strategy.plan(graph, options);
    throw std::invalid_argument(GetParam());
  }
};

TEST_P(Strategies, KeepOpaqueOperatorsApartAndSayWhy) {
  const graph::Graph graph = network();
  const auto made = plan(graph);
  ASSERT_TRUE(made) << to_string(made.error());
  EXPECT_EQ(test::groups(*made, graph), "{a} {o} {b c}");
  for (const char* edge : {"a:o", "o:b"}) {
    const fusion::Decision& decision = test::decision_on(*made, graph, edge);
    EXPECT_EQ(name(decision.reason), "OPAQUE") << edge;
    EXPECT_EQ(decision.condition, "known(o) = no (LG2001), must be yes") << edge;
    EXPECT_THAT(decision.sentence, HasSubstr("o (If)")) << edge;
    EXPECT_THAT(decision.sentence, HasSubstr("its condition is not known")) << edge;
  }
}

TEST_P(Strategies, RefuseToForceThem) {
  const graph::Graph graph = network();
  fusion::PlanOptions options;
  options.constraints.forced.insert(fusion::find_edge(graph, "a:o").value());
  const auto made = plan(graph, options);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::PlanInvalid);
  EXPECT_THAT(to_string(made.error()), HasSubstr("OPAQUE"));
}
INSTANTIATE_TEST_SUITE_P(All, Strategies, ::testing::Values("dominator", "mapping", "dp"));

TEST(OpaqueOperators, AreOfTheOpaqueKind) {
  const graph::Graph graph = network();
  EXPECT_EQ(fusion::pattern_kind(graph, *graph.find_node("o")), fusion::PatternKind::Opaque);
}

TEST(OpaqueOperators, AreMergedByNobodysHand) {
  const auto merged = test::by_hand(network(), "merge a, o");
  ASSERT_FALSE(merged);
  EXPECT_THAT(to_string(merged.error()), HasSubstr("OPAQUE"));
}

// Nothing a person could change would fuse them.
TEST(OpaqueOperators, AreNoNearMisses) {
  const graph::Graph graph = network();
  const auto plan = passes::toolchain().strategies.front().plan(graph, {});
  ASSERT_TRUE(plan);
  const fusion::BlockRules rules(graph);
  const auto misses = fusion::near_misses(rules, *plan, fusion::CostModel(), 10);
  ASSERT_TRUE(misses);
  EXPECT_TRUE(misses->empty());
}

}  // namespace
}  // namespace loopglass
