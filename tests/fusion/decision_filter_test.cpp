// Which decisions of a plan a filter picks out.
#include "core/fusion/decision_filter.h"
#include "core/graph/node_filter.h"
#include "core/ops/registry.h"
#include "passes/fusion/dominator.h"
#include "tests/graph/parsed.h"

#include <gtest/gtest.h>

namespace loopglass {
namespace {

TEST(DecisionFilter, PicksOutEdges) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[4x4]
  %m: float32[4x4] = MatMul(%x, %x) "product"
  %r: float32[4x4] = Relu(%m) "relu"
  %n: float32[4x4] = MatMul(%r, %x) "second"
  output %n)");
  const auto plan = passes::fuse_by_dominators(graph, {});
  ASSERT_TRUE(plan);
  const auto picked = [&](const std::string& text) {
    const auto filter = parse_filter(text, fusion::decision_fields());
    EXPECT_TRUE(filter) << text;
    std::string edges;
    for (const fusion::Decision& decision : plan->decisions)
      if (matches(*filter, decision, *plan, graph)) edges += graph.value(decision.value).name;
    return edges;
  };
  EXPECT_EQ(picked(""), "mr");
  EXPECT_EQ(picked("verdict=fused"), "m");
  EXPECT_EQ(picked("verdict=apart"), "r");
  EXPECT_EQ(picked("kernel=0"), "mr") << "its own, and the one to its reader";
  EXPECT_EQ(picked("kernel=1"), "r");
  EXPECT_EQ(picked("kernel=" + plan->groups[1].name), "r");
  EXPECT_EQ(picked("second"), "r");
  EXPECT_EQ(picked("producer=relu | consumer=relu"), "mr");
  EXPECT_EQ(picked("op=Relu & dtype=f32 & bytes=64"), "mr");
  EXPECT_EQ(picked("reason=FUSED"), "m");
  EXPECT_EQ(in_words(*parse_filter("verdict!=fused", fusion::decision_fields()),
                     fusion::decision_fields()),
            "edges whose verdict is not fused");
}

TEST(DecisionFilter, KnowsItsReasons) {
  EXPECT_FALSE(parse_filter("reason=SINK_KNID", fusion::decision_fields()));
  EXPECT_TRUE(parse_filter("reason=sink_kind", fusion::decision_fields()));
}

// As in the window, so on the command line; in quotes it is a name as any other.
TEST(DecisionFilter, TakesAVerdictOrAReasonAloneForWhatItSays) {
  const FilterSchema& fields = fusion::decision_fields();
  const auto read = [&](const char* text) { return to_text(parse_filter(text, fields).value()); };
  EXPECT_EQ(read("fused"), "verdict=fused");
  EXPECT_EQ(read("conv1 & !Apart"), "edge~conv1 & !verdict=apart");
  EXPECT_EQ(read("sink_kind | FUSED"), "reason=SINK_KIND | verdict=fused");
  EXPECT_EQ(read("fused1"), "edge~fused1");
  EXPECT_EQ(read("\"fused\""), "edge~fused");
  const auto offered = complete_filter("conv1 & ap", 10, fields).items;
  ASSERT_FALSE(offered.empty());
  EXPECT_EQ(offered.front().text, "apart");
}

TEST(DecisionFilter, FindsOperatorsInOtherLayoutsByTheirPlainKind) {
  const auto kinds = [](const char* name) {
    return graph::operator_kinds(*ops::find_operator(name)).texts;
  };
  EXPECT_EQ(kinds("LayoutConv"), (std::vector<std::string>{"LayoutConv", "Conv"}));
  EXPECT_EQ(kinds("LayoutTransform"), std::vector<std::string>{"LayoutTransform"});
  EXPECT_EQ(kinds("Conv"), std::vector<std::string>{"Conv"});
}

}  // namespace
}  // namespace loopglass
