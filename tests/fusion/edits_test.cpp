// Partitions by hand: the script's text form, what each edit does, and why some cannot be made.
#include "core/fusion/edits.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"
#include "tests/random/random_graph.h"

#include <gmock/gmock.h>

namespace loopglass::fusion {
namespace {

using test::by_hand;
using test::decision_on;
using test::graph_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// a -> b -> d, a -> c -> d, d -> pool -> relu -> sum
graph::Graph diamond() {
  return graph_of(R"(
  input %x: float32[1x2x8x8]
  %a: float32[1x2x8x8] = Relu(%x) "a"
  %b: float32[1x2x8x8] = Neg(%a) "b"
  %c: float32[1x2x8x8] = Abs(%a) "c"
  %d: float32[1x2x8x8] = Add(%b, %c) "d"
  %p: float32[1x2x4x4] = MaxPool(%d) {kernel_shape = [2, 2], strides = [2, 2]} "pool/1"
  %r: float32[1x2x4x4] = Relu(%p) "relu"
  %s: float32[1x2x1x1] = ReduceSum(%r) {axes = [2, 3]} "sum"
  output %s)");
}

std::string groups(const Result<Plan>& plan, const graph::Graph& graph) {
  if (!plan) return to_string(plan.error());
  EXPECT_TRUE(verify(*plan, graph));
  return test::groups(*plan, graph);
}

std::string refusal(const std::string& text, PlanOptions options = {}) {
  const auto plan = by_hand(diamond(), text, std::move(options));
  return plan ? "legal" : to_string(plan.error());
}

TEST(EditText, PrintsAndParsesBack) {
  const std::string text = "base none\nmerge a, \"pool/1\", c\nsplit a\npin relu\n";
  const EditScript script =
      parse_edits("// by hand\nbase none merge a,\"pool/1\" , c\n\nsplit a\n  pin relu // as it is")
          .value();
  EXPECT_EQ(to_text(script), text);
  EXPECT_EQ(parse_edits(text).value(), script);
  EXPECT_EQ(parse_edits("").value(), EditScript{});
  // Words of the language are names like others.
  EXPECT_THAT(parse_edits("merge merge, split").value().edits[0].nodes,
              ElementsAre("merge", "split"));
}

TEST(EditText, WhatDoesNotParseIsShownWithACaret) {
  for (const char* text : {"join a, b", "merge a", "merge a,", "merge a, a", "split", "split a b",
                           "base", "merge \"a, b", "pin a\nbase dp"}) {
    const auto script = parse_edits(text);
    ASSERT_FALSE(script) << text;
    EXPECT_EQ(script.error().code, Code::TextMalformed) << text;
    EXPECT_THAT(to_string(script.error()), HasSubstr("^")) << text;
  }
}

TEST(Edits, MergeJoinsWholeGroups) {
  const graph::Graph graph = diamond();
  EXPECT_EQ(groups(by_hand(graph, "merge a, b"), graph), "{a b} {c} {d} {pool/1} {relu} {sum}");
  EXPECT_EQ(groups(by_hand(graph, "merge a, b merge c, a merge b, d"), graph),
            "{a b c d} {pool/1} {relu} {sum}");
  EXPECT_EQ(groups(by_hand(graph, "merge a, b merge a, b"), graph),
            "{a b} {c} {d} {pool/1} {relu} {sum}");
}

// a and d alone do not touch; with b and c between them they do, in whatever order they are named.
TEST(Edits, MergeFindsAnOrderInWhichEveryStepIsLegal) {
  const graph::Graph graph = diamond();
  EXPECT_EQ(groups(by_hand(graph, "merge a, d, b, c"), graph), "{a b c d} {pool/1} {relu} {sum}");
}

TEST(Edits, SplitTakesAnOperatorOut) {
  const graph::Graph graph = diamond();
  // The middle of a chain leaves two pieces.
  EXPECT_EQ(groups(by_hand(graph, "merge d, \"pool/1\", relu split \"pool/1\""), graph),
            "{a} {b} {c} {d} {pool/1} {relu} {sum}");
  // An end leaves the rest as one.
  EXPECT_EQ(groups(by_hand(graph, "merge d, \"pool/1\", relu split d"), graph),
            "{a} {b} {c} {d} {pool/1 relu} {sum}");
  // What needs b cannot run with what b needs, though a, c and d hang together.
  EXPECT_EQ(groups(by_hand(graph, "merge a, b, c, d split b"), graph),
            "{a c} {b} {d} {pool/1} {relu} {sum}");
  EXPECT_EQ(groups(by_hand(graph, "split a"), graph), groups(by_hand(graph, ""), graph));
}

TEST(Edits, VerdictsSayThatAPersonDecided) {
  const graph::Graph graph = diamond();
  const Plan plan = by_hand(graph, "merge a, b, c, d split b").value();
  EXPECT_EQ(plan.strategy, "manual");
  EXPECT_EQ(decision_on(plan, graph, "a:b").reason, Reason::SplitByHand);
  EXPECT_EQ(decision_on(plan, graph, "a:b").condition, "split b");
  EXPECT_EQ(decision_on(plan, graph, "c:d").condition, "split b");
  EXPECT_EQ(decision_on(plan, graph, "a:c").reason, Reason::Fused);
  EXPECT_TRUE(decision_on(plan, graph, "a:c").forced);
  // As the base says, though an end was taken out of a group that the other was not in.
  EXPECT_EQ(decision_on(plan, graph, "d:pool/1").reason, Reason::StrategyNone);
  const Plan pair = test::edited(graph, "merge a, b split b");
  EXPECT_EQ(decision_on(pair, graph, "b:d").reason, Reason::StrategyNone);
}

TEST(Edits, WhatCannotBeIsRefusedWithTheReason) {
  EXPECT_THAT(refusal("merge a, relu"), HasSubstr("EXTERNAL"));
  EXPECT_THAT(refusal("merge a, b merge c, d merge a, d"), HasSubstr("legal"));
  EXPECT_THAT(refusal("merge a, b, d"), HasSubstr("WOULD_CYCLE"));
  EXPECT_THAT(refusal("merge a, b"), HasSubstr("legal"));
  EXPECT_THAT(refusal("merge a, nothing"), HasSubstr("LG3002"));
  EXPECT_THAT(refusal("merge a, rely"), HasSubstr("did you mean 'relu'?"));
  EXPECT_THAT(refusal("base nine"), HasSubstr("did you mean 'none'?"));
}

// Each block is convex, and yet one would wait for the other.
TEST(Edits, BlocksThatWaitForEachOtherAreRefused) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4]
  input %y: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %c: float32[4] = Neg(%y) "c"
  %b: float32[4] = Add(%c, %a) "b"
  %d: float32[4] = Mul(%a, %c) "d"
  output %b
  output %d)");
  const auto plan = by_hand(graph, "merge a, d merge c, b");
  ASSERT_FALSE(plan);
  EXPECT_THAT(to_string(plan.error()), HasSubstr("merge c, b"));
  EXPECT_THAT(to_string(plan.error()), HasSubstr("WOULD_CYCLE"));
}

// The way from f over the late c into the kernel of e and d, and from the early e back to t.
TEST(Edits, AWayBackThroughAKernelThatBeganEarlierIsSeen) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4]
  input %y: float32[4]
  %f: float32[4] = Relu(%x) "f"
  %e: float32[4] = Neg(%y) "e"
  %t: float32[4] = Add(%f, %e) "t"
  %c: float32[4] = Abs(%f) "c"
  %d: float32[4] = Add(%c, %e) "d"
  output %t
  output %d)");
  const auto plan = by_hand(graph, "merge e, d merge f, t");
  ASSERT_FALSE(plan);
  EXPECT_THAT(to_string(plan.error()), HasSubstr("WOULD_CYCLE"));
}

TEST(Edits, APinnedGroupStaysAsItIs) {
  EXPECT_THAT(refusal("merge a, b pin a merge b, c"), HasSubstr("PINNED"));
  EXPECT_THAT(refusal("merge a, b pin b split a"), HasSubstr("PINNED"));
  EXPECT_THAT(refusal("merge a, b pin a merge a, b merge c, d"), HasSubstr("legal"));
  EXPECT_THAT(refusal("pin c merge a, b"), HasSubstr("legal"));
}

TEST(Edits, ConstraintsHoldAgainstEdits) {
  const graph::Graph graph = diamond();
  PlanOptions apart, together;
  apart.constraints.forbidden = {find_edge(graph, "a:b").value()};
  together.constraints.forced = {find_edge(graph, "a:b").value()};
  EXPECT_THAT(refusal("merge a, b", apart), HasSubstr("FORCED_APART"));
  EXPECT_THAT(refusal("split a", together), HasSubstr("asked to share a kernel"));
  EXPECT_THAT(refusal("merge a, c", together), HasSubstr("legal"));
}

TEST(Edits, AreToldAsSteps) {
  PlanOptions options;
  options.record_events = true;
  const Plan plan = by_hand(diamond(), "merge a, b split a", options).value();
  ASSERT_EQ(plan.events.size(), 2u);
  EXPECT_EQ(plan.events[0].kind, PlanEvent::Kind::Merge);
  EXPECT_EQ(plan.events[1].reason, Reason::SplitByHand);
}

TEST(FindEdge, NamesMayHoldColons) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a:0"
  %b: float32[4] = Neg(%a) "b:c"
  output %b)");
  const Edge edge = find_edge(graph, "a:0:b:c").value();
  EXPECT_EQ(graph.node(edge.producer).name, "a:0");
  EXPECT_EQ(graph.node(edge.consumer).name, "b:c");
}

TEST(FindEdge, PartsNamesWhereThereIsAnEdge) {
  const graph::Graph graph = graph_of(R"(
  input %x: float32[4]
  %a: float32[4] = Relu(%x) "a"
  %b: float32[4] = Relu(%a) "a:b"
  %c: float32[4] = Neg(%b) "b:c"
  %d: float32[4] = Neg(%b) "c"
  %e: float32[4] = Add(%c, %d) "e:"
  output %e)");
  const Edge edge = find_edge(graph, "a:b:c").value();
  EXPECT_EQ(graph.node(edge.producer).name, "a:b") << "a has no edge to b:c";
  EXPECT_EQ(graph.node(edge.consumer).name, "c");
  EXPECT_EQ(graph.node(find_edge(graph, "c:e:").value().consumer).name, "e:");
}

TEST(FindEdge, SaysWhatIsMissing) {
  const graph::Graph graph = diamond();
  EXPECT_EQ(find_edge(graph, "a").error().code, Code::UsageInvalid);
  EXPECT_THAT(to_string(find_edge(graph, "a:rely").error()), HasSubstr("did you mean 'relu'?"));
  EXPECT_THAT(to_string(find_edge(graph, "a:d").error()), HasSubstr("it is read by b, c"));
  EXPECT_EQ(find_edge(graph, "b:a").error().code, Code::GraphEntityUnknown);
}

// Whatever is merged and split, the plan that comes out is one, or is refused with a code.
TEST(Edits, OnRandomGraphsEveryScriptGivesAPlanOrAReason) {
  std::mt19937 random(1);
  int legal = 0, refused = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const graph::Graph graph = test::random_graph(seed, 12);
    if (graph.nodes().size() < 2) continue;
    const auto node = [&] { return graph.nodes()[random() % graph.nodes().size()]->name; };
    EditScript script;
    for (int i = 0; i < 6; ++i) {
      if (random() % 3 == 0) {
        script.edits.push_back({Edit::Kind::Split, {node()}});
        continue;
      }
      const auto& producer = *graph.nodes()[random() % graph.nodes().size()];
      const auto& uses = graph.uses(producer.outputs.front());
      if (!uses.empty())
        script.edits.push_back(
            {Edit::Kind::Merge,
             {producer.name, graph.node(uses[random() % uses.size()].node).name}});
    }
    const auto plan = by_hand(graph, to_text(script));
    if (plan) {
      ++legal;
      EXPECT_TRUE(verify(*plan, graph)) << to_text(script);
    } else {
      ++refused;
      EXPECT_EQ(plan.error().code, Code::PlanInvalid) << to_string(plan.error());
      EXPECT_THAT(plan.error().what, ::testing::ContainsRegex("\\([A-Z_]+\\)$"));
    }
  }
  EXPECT_GT(legal, 5);
  EXPECT_GT(refused, 5);
}

}  // namespace
}  // namespace loopglass::fusion
