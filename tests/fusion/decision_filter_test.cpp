// Which decisions of a plan a filter picks out.
#include "core/fusion/decision_filter.h"
#include "core/graph/node_filter.h"
#include "core/graph/text.h"
#include "core/ops/registry.h"
#include "passes/fusion/dominator.h"

#include <gtest/gtest.h>

namespace loopglass {
namespace {

TEST(DecisionFilter, PicksOutEdges) {
  const auto graph = graph::parse(R"(graph "g" {
  input %x: float32[4x4]
  %m: float32[4x4] = MatMul(%x, %x) "product"
  %r: float32[4x4] = Relu(%m) "relu"
  %n: float32[4x4] = MatMul(%r, %x) "second"
  output %n
}
)");
  ASSERT_TRUE(graph) << to_string(graph.error());
  const auto plan = passes::fuse_by_dominators(*graph, {});
  ASSERT_TRUE(plan);
  const auto picked = [&](const char* text) {
    const auto filter = parse_filter(text, fusion::decision_fields());
    EXPECT_TRUE(filter) << text;
    std::string edges;
    for (const fusion::Decision& decision : plan->decisions)
      if (matches(*filter, decision, *graph)) edges += graph->value(decision.value).name;
    return edges;
  };
  EXPECT_EQ(picked(""), "mr");
  EXPECT_EQ(picked("verdict=fused"), "m");
  EXPECT_EQ(picked("verdict=apart"), "r");
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

// It would be looked for among the names of operators, and pick out nothing.
TEST(DecisionFilter, DoesNotTakeAVerdictForAName) {
  for (const char* text : {"fused", "!fused", " apart", "SINK_KIND"})
    EXPECT_FALSE(fusion::parse_decision_filter(text)) << text;
  for (const char* text : {"", "fused1", "conv & fused", "verdict=fused"})
    EXPECT_TRUE(fusion::parse_decision_filter(text)) << text;
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
