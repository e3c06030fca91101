// Verdicts in words.
#include "core/fusion/explain.h"

#include "core/fusion/decision_filter.h"
#include "passes/fusion/none.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>

namespace loopglass::fusion {
namespace {

using test::edited;
using test::graph_of;
using ::testing::ElementsAre;

graph::Graph network() {
  return graph_of(R"(
  input %x: float32[2x8]
  %v: float32[2x8] = Relu(%x) "v"
  %s: float32[2x1] = ReduceSum(%v) {axes = [1]} "s"
  %t: float32[2x1] = Neg(%s) "t"
  %u: float32[2x8] = Add(%v, %t) "u"
  output %u)");
}

std::vector<std::string> edges(const std::vector<const Decision*>& rows,
                               const graph::Graph& graph) {
  std::vector<std::string> words;
  for (const Decision* row : rows)
    words.push_back(graph.node(row->producer).name + graph.node(row->consumer).name);
  return words;
}

TEST(DecisionTable, IsSorted) {
  const graph::Graph graph = network();
  const Plan plan = edited(graph, "merge s, t");
  const auto sorted = [&](DecisionOrder order) {
    return edges(decision_table(plan, graph, {}, order), graph);
  };
  EXPECT_THAT(sorted(DecisionOrder::Graph), ElementsAre("vs", "vu", "st", "tu"));
  EXPECT_THAT(sorted(DecisionOrder::Bytes), ElementsAre("vs", "vu", "st", "tu"));
  EXPECT_THAT(sorted(DecisionOrder::Producer), ElementsAre("st", "tu", "vs", "vu"));
  EXPECT_THAT(sorted(DecisionOrder::Consumer), ElementsAre("vs", "st", "vu", "tu"));
  EXPECT_THAT(sorted(DecisionOrder::Verdict), ElementsAre("vs", "vu", "tu", "st"));
  EXPECT_THAT(sorted(DecisionOrder::Reason), ElementsAre("st", "vs", "vu", "tu"));
}

TEST(DecisionTable, IsFiltered) {
  const graph::Graph graph = network();
  const Plan plan = edited(graph, "merge s, t");
  const auto filtered = [&](const char* text) {
    return edges(decision_table(plan, graph, parse_filter(text, decision_fields()).value()), graph);
  };
  EXPECT_THAT(filtered("verdict=fused"), ElementsAre("st"));
  EXPECT_THAT(filtered("reason=STRATEGY_NONE & bytes<64"), ElementsAre("tu"));
  EXPECT_THAT(filtered("op=Relu"), ElementsAre("vs", "vu"));
}

TEST(DecisionText, HasCodeConditionSentenceAndNumbers) {
  const graph::Graph graph = network();
  const Plan plan = edited(graph, "merge s, t");
  const auto rows = decision_table(plan, graph);
  EXPECT_EQ(to_text(*rows[0], plan, graph, false),
            "v -> s: STRATEGY_NONE\n"
            "    %v float32[2x8]\n"
            "    strategy = none, must be one that fuses\n"
            "    This strategy fuses nothing.\n"
            "    bytes = 64 B\n");
  EXPECT_EQ(to_text(*rows[2], plan, graph, false),
            "s -> t: FUSED in " + plan.group(plan.group_of(rows[2]->producer)).name +
                ", by hand (s + t)\n"
                "    %s float32[2x1]\n"
                "    merged by hand = yes\n"
                "    Both run in one kernel: they were merged by hand.\n"
                "    bytes = 8 B\n");
}

TEST(ReasonCounts, AreThoseOfTheTable) {
  const graph::Graph graph = network();
  const Plan plan = edited(graph, "merge s, t");
  EXPECT_THAT(reason_counts(decision_table(plan, graph)),
              ElementsAre(std::pair(Reason::Fused, 1u), std::pair(Reason::StrategyNone, 3u)));
}

TEST(Legend, EveryCodeIsExplained) {
  for (std::size_t i = 0; i < reason_count; ++i) {
    const auto reason = static_cast<Reason>(i);
    EXPECT_THAT(std::string(name(reason)), ::testing::MatchesRegex("[A-Z0-9_]+"));
    EXPECT_EQ(explanation(reason).back(), '.') << name(reason);
  }
}

TEST(Verdicts, AreOneForEachReader) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Mul(%a, %a) "b"
  output %b)");
  EXPECT_EQ(passes::fuse_nothing(graph, {}).value().decisions.size(), 1u);
}

TEST(Numbers, ThatStandForKindsAreNamed) {
  EXPECT_EQ(number_text("kind", static_cast<double>(PatternKind::OutElementwiseFusable)),
            "OutElementwiseFusable");
  EXPECT_EQ(number_text("bytes", 18816), "18816");
  EXPECT_EQ(number_text("pattern", static_cast<double>(PatternKind::Opaque)), "Opaque");
}

}  // namespace
}  // namespace loopglass::fusion
