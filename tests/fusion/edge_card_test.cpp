// The card of an edge: its loops, kinds, path, bytes and steps, on networks small enough to be
// looked through by hand; and on large ones, that it says what the strategies say.
#include "core/fusion/edge_card.h"

#include "core/fusion/edge_kind.h"
#include "passes/pipeline.h"
#include "samples/samples.h"
#include "tests/fusion/image_network.h"
#include "tests/fusion/plans.h"
#include "tests/graph/parsed.h"

#include <gmock/gmock.h>

namespace loopglass::fusion {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Plan planned(const graph::Graph& graph, const std::string& strategy, PlanOptions options = {}) {
  options.record_events = true;
  for (const Strategy& each : passes::toolchain().strategies)
    if (each.name == strategy) return each.plan(graph, options).value();
  throw std::invalid_argument(strategy);
}

// As though every kernel were a single loop nest, that of its anchor.
MakeNests one_nest(const Plan& plan) {
  return [&plan](GroupId group) -> Result<KernelNests> {
    const auto& [id, nodes, anchor, name] = plan.group(group);
    return KernelNests{false, {{{nodes.begin(), nodes.end()}, std::set{anchor}}}};
  };
}

// And a nest for each operator.
MakeNests a_nest_each(const Plan& plan) {
  return [&plan](GroupId group) -> Result<KernelNests> {
    KernelNests made;
    for (const graph::NodeId node : plan.group(group).nodes) made.nests.push_back({{node}});
    return made;
  };
}

// Cards of a plan, by the names of their ends.
class Cards {
 public:
  Cards(graph::Graph graph, const std::string& strategy)
      : Cards(graph, std::make_shared<const Plan>(planned(graph, strategy))) {}
  Cards(const graph::Graph& graph, std::shared_ptr<const Plan> plan)
      : plan_(plan), cards_(std::make_shared<const graph::Graph>(graph), plan, plan) {}

  EdgeCard operator()(const std::string& edge) const { return (*this)(edge, one_nest(*plan_)); }
  EdgeCard operator()(const std::string& edge, const MakeNests& make_nests) const {
    return cards_(test::decision_on(*plan_, cards_.graph(), edge), make_nests);
  }
  const EdgeCards& cards() const { return cards_; }
  std::string name(graph::NodeId node) const { return cards_.graph().node(node).name; }

  // "a -Elementwise-> b"
  std::string way(const EdgeCard& card) const {
    std::string text;
    for (const CardPath::Stop& stop : card.path.stops)
      text += (stop.edge ? fmt::format(" -{}-> ", fusion::name(*stop.edge)) : "") + name(stop.node);
    return text;
  }

 private:
  std::shared_ptr<const Plan> plan_;
  EdgeCards cards_;
};

// "oh 8 window": each loop of the nests that touch the tensor.
std::vector<std::string> loops(const std::vector<SketchedNest>& nests) {
  std::vector<std::string> words;
  for (const SketchedNest& nest : nests)
    if (nest.touches)
      for (const SketchedLoop& loop : nest.loops)
        words.push_back(fmt::format("{} {} {}{}", loop.role, loop.extent.value_or(-1),
                                    name(loop.walk), loop.reduction ? " +" : ""));
  return words;
}

graph::Graph convolutions() {
  return test::graph_of(R"(
  input %x: float32[1x8x16x16]
  input %w: float32[4x8x3x3]
  input %v: float32[2x4x3x3]
  %a: float32[1x4x14x14] = Conv(%x, %w) "a"
  %r: float32[1x4x14x14] = Relu(%a) "r"
  %b: float32[1x2x12x12] = Conv(%r, %v) "b"
  output %b)");
}

TEST(EdgeCard, AFusedEdgeHasOneNest) {
  const Cards cards(convolutions(), "dominator");
  const EdgeCard card = cards("a:r");
  ASSERT_TRUE(card.fused);
  EXPECT_THAT(card.nests.missing, IsEmpty());
  EXPECT_THAT(loops(card.nests.producer),
              ElementsAre("n 1 once", "oc 4 elements", "oh 14 elements", "ow 14 elements",
                          "ic 8 repeats +", "kh 3 repeats +", "kw 3 repeats +"));
  EXPECT_THAT(loops(card.nests.consumer),
              ElementsAre("n 1 once", "oc 4 elements", "oh 14 elements", "ow 14 elements"));
  EXPECT_EQ(card.nests.handing, Handing::Nest);
  ASSERT_EQ(card.nests.shared.size(), 1u);
  EXPECT_EQ(loops_text(card.nests.shared.front()),
            "n 1, oc 4, oh 14, ow 14; reduces ic 8, kh 3, kw 3");
  EXPECT_EQ(card.kinds.producer, PatternKind::OutElementwiseFusable);
  EXPECT_EQ(card.kinds.consumer, PatternKind::Elementwise);
  EXPECT_EQ(card.kinds.path, PatternKind::Elementwise);
  EXPECT_EQ(cards.way(card), "a -Elementwise-> r");
  ASSERT_TRUE(card.traffic);
  EXPECT_EQ(saving(*card.traffic).bytes, 2 * 4 * 14 * 14 * 4);
  // How the post-dominator was found, the check of the path, and the merge.
  std::vector<PlanEvent::Kind> kinds;
  for (const std::size_t event : card.steps.events)
    kinds.push_back(cards.cards().told()->events[event].kind);
  EXPECT_THAT(
      kinds, ElementsAre(PlanEvent::Kind::Ancestor, PlanEvent::Kind::Path, PlanEvent::Kind::Merge));
}

TEST(EdgeCard, AConvolutionReadsByAWindowAndAgain) {
  const Cards cards(convolutions(), "dominator");
  const EdgeCard card = cards("r:b");
  ASSERT_FALSE(card.fused);
  EXPECT_THAT(loops(card.nests.consumer),
              ElementsAre("n 1 once", "oc 2 repeats", "oh 12 window", "ow 12 window",
                          "ic 4 elements +", "kh 3 window +", "kw 3 window +"));
  EXPECT_EQ(card.nests.handing, Handing::Memory);
  EXPECT_TRUE(card.nests.shared.empty());
  EXPECT_EQ(card.kinds.path, PatternKind::OutElementwiseFusable);
  ASSERT_FALSE(card.steps.events.empty());
  const PlanEvent& last = cards.cards().told()->events[card.steps.events.back()];
  EXPECT_EQ(last.kind, PlanEvent::Kind::Refuse);
  EXPECT_EQ(last.reason,
            test::decision_on(*cards.cards().plan(), cards.cards().graph(), "r:b").reason);
}

// The padding reads each element once, the windows what it makes of them: nine taps of 4 x 4 each.
TEST(EdgeCard, PaddedWindowsReadOverAndOver) {
  const Cards cards(test::graph_of(R"(
  input %x: float32[1x4x8x8]
  input %w: float32[4x1x3x3]
  %r: float32[1x4x8x8] = Relu(%x) "r"
  %b: float32[1x4x4x4] = Conv(%r, %w) {group = 4, pads=[1, 1, 1, 1], strides=[2, 2]} "b"
  output %b)"),
                    "none");
  EXPECT_DOUBLE_EQ(cards("r:b").nests.times_read.value(), 9.0 * 4 * 4 / (8 * 8));
}

TEST(EdgeCard, OtherIndicesAreElsewhere) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[4x6]
  %a: float32[4x6] = Relu(%x) "a"
  %t: float32[6x4] = Transpose(%a) {perm = [1, 0]} "t"
  %n: float32[6x4] = Neg(%t) "n"
  output %n)");
  const Cards cards(graph, "none");
  EXPECT_THAT(loops(cards("a:t").nests.consumer), ElementsAre("i 6 elements", "j 4 elements"))
      << "in another order";
  const graph::Graph spread = test::graph_of(R"(
  input %x: float32[1x4x3x3]
  %a: float32[1x4x3x3] = Relu(%x) "a"
  %d: float32[1x1x6x6] = DepthToSpace(%a) {blocksize = 2} "d"
  output %d)");
  EXPECT_THAT(loops(Cards(spread, "none")("a:d").nests.consumer),
              Contains(HasSubstr("6 elsewhere")));
}

// Another shape is the same order: the loops say so, as the sentence does.
TEST(EdgeCard, AnotherShapeIsWalkedElementByElement) {
  const graph::Graph flat = test::graph_of(R"(
  input %x: float32[1x4x3x3]
  %a: float32[1x4x3x3] = Relu(%x) "a"
  %f: float32[1x36] = Flatten(%a) "f"
  %n: float32[1x36] = Neg(%f) "n"
  output %n)");
  EXPECT_THAT(loops(Cards(flat, "none")("a:f").nests.consumer),
              ElementsAre("i 1 once", "j 36 elements"));
  const graph::Graph repeated = test::graph_of(R"(
  input %x: float32[2x3]
  %a: float32[2x3] = Relu(%x) "a"
  %r: float32[3x2] = Reshape(%a) {shape = [3, 2]} "r"
  %e: float32[4x3x2] = Expand(%r) {shape = [4, 3, 2]} "e"
  output %e)");
  EXPECT_THAT(loops(Cards(repeated, "none")("a:r").nests.consumer),
              ElementsAre("i 3 elements", "j 2 elements"));
  EXPECT_THAT(loops(Cards(repeated, "none")("r:e").nests.consumer),
              ElementsAre("i 4 repeats", "j 3 elements", "k 2 elements"));
}

TEST(EdgeCard, AViewIsHandedNothing) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[4x6]
  %a: float32[4x6] = Exp(%x) "a"
  %f: float32[24] = Reshape(%a) {shape = [24]} "f"
  %n: float32[24] = Neg(%f) "n"
  output %n)");
  const Cards cards(graph, "none");
  for (const char* edge : {"a:f", "f:n"}) {
    const EdgeCard card = cards(edge);
    EXPECT_EQ(card.nests.handing, Handing::Nothing);
    EXPECT_THAT(card.nests.sentence, HasSubstr("that of f needs no code: nothing is moved"));
    EXPECT_EQ(saving(*card.traffic), Saving{});
  }
}

TEST(EdgeCard, WhatIsReadBackIsTwoNests) {
  const graph::Graph graph = test::graph_of(R"(
  input %x: float32[4x4]
  %a: float32[4x4] = MatMul(%x, %x) "a"
  %b: float32[4x4] = MatMul(%a, %x) "b"
  output %b)");
  PlanOptions options;
  options.record_events = true;
  const Cards cards(graph,
                    std::make_shared<const Plan>(test::edited(graph, "merge a, b", options)));
  const EdgeCard card = cards("a:b", a_nest_each(*cards.cards().plan()));
  EXPECT_EQ(card.nests.handing, Handing::Nests);
  EXPECT_TRUE(card.nests.shared.empty());
  EXPECT_THAT(card.nests.sentence, HasSubstr("that of b reads what that of a has left"));
  const auto two_sums = [&](GroupId group) -> Result<KernelNests> {
    const auto& nodes = cards.cards().plan()->group(group).nodes;
    return KernelNests{false,
                       {{{nodes.begin(), nodes.end()}, std::set(nodes.begin(), nodes.end())}}};
  };
  EXPECT_EQ(cards("a:b", two_sums).nests.handing, Handing::Nest);
  EXPECT_TRUE(cards("a:b", two_sums).nests.shared.empty());
  EXPECT_THAT(cards("a:b", two_sums).nests.sentence,
              HasSubstr("share a loop nest. Its loops are not shown: a and b reduce there"));
  // Nests with other loops are all there, and one that stands for two is told of once.
  const auto two_nests = [&](GroupId group) -> Result<KernelNests> {
    const auto& nodes = cards.cards().plan()->group(group).nodes;
    const std::set<graph::NodeId> both(nodes.begin(), nodes.end());
    const std::set first{nodes.front()};
    return KernelNests{false, {{both, first}, {both, first}, {both, both}}, 96};
  };
  const EdgeCard several = cards("a:b", two_nests);
  EXPECT_EQ(several.nests.shared.size(), 1u);
  EXPECT_THAT(several.nests.sentence,
              HasSubstr("share 3 loop nests. Some loops are not shown: a and b reduce there"));
  EXPECT_THAT(several.nests.sentence,
              HasSubstr("a workspace of 96 B; the fusion rules count 64 B, without paddings."));
  const auto view = [](GroupId) -> Result<KernelNests> { return KernelNests{true, {}}; };
  EXPECT_EQ(cards("a:b", view).nests.handing, Handing::Nothing);
  ASSERT_TRUE(card.traffic);
  EXPECT_EQ(card.traffic->together.kept, 64);
  ASSERT_EQ(card.steps.events.size(), 1u);
  EXPECT_THAT(cards.cards().told()->events[card.steps.events[0]].sentence,
              HasSubstr("By hand: merge a, b"));
}

TEST(EdgeCard, AnOpaqueEndHasNoLoopsAndNoBytes) {
  const Cards cards(test::graph_of(R"(
  input %x: float32[64x64]
  %a: float32[64x64] = Relu(%x) "a"
  %o: float32[64x64] = Opaque(%a) {code = 2001, operator = "If", reason = "its condition is not known"} "o"
  %b: float32[64x64] = Neg(%o) "b"
  output %b)"),
                    "dominator");
  for (const char* edge : {"a:o", "o:b"}) {
    const EdgeCard card = cards(edge);
    EXPECT_THAT(card.nests.missing,
                HasSubstr("The loops of o are not known: its condition is not known"))
        << edge;
    EXPECT_FALSE(card.traffic) << edge;
    EXPECT_EQ(cards.name(card.path.stops.back().node), edge[0] == 'a' ? "o" : "b");
    EXPECT_THAT(to_text(card, cards.cards()), HasSubstr("loops: The loops of o are not known"))
        << edge;
  }
}

TEST(EdgeCard, WithoutAPostDominatorItSaysWhy) {
  const Cards cards(test::graph_of(R"(
  input %x: float32[8]
  %a: float32[8] = Relu(%x) "a"
  %b: float32[8] = Neg(%a) "b"
  %c: float32[8] = Abs(%a) "c"
  %d: float32[8] = Exp(%b) "d"
  output %b output %c output %d)"),
                    "dominator");
  EXPECT_THAT(cards("a:b").path.missing,
              HasSubstr("on every path from a through what reads it (2 operators)"));
  EXPECT_FALSE(cards("a:b").kinds.path);
  EXPECT_THAT(cards("b:d").path.missing, HasSubstr("b is a result of the network"));
}

// An operator that takes a value twice is one reader of it, for the verdict as on the card.
TEST(EdgeCard, ReadersAreOperators) {
  const Cards cards(test::graph_of(R"(
  input %x: float32[8]
  %a: float32[8] = Relu(%x) "a"
  %b: float32[8] = Mul(%a, %a) "b"
  %c: float32[8] = Abs(%a) "c"
  output %b output %c)"),
                    "dominator");
  const Decision& decision = test::decision_on(*cards.cards().plan(), cards.cards().graph(), "a:b");
  EXPECT_EQ(decision.reason, Reason::NoPostDominator);
  EXPECT_THAT(decision.sentence, HasSubstr("through what reads it (2 operators)"));
  EXPECT_THAT(decision.numbers, ::testing::Contains(std::pair<std::string, double>("readers", 2)));
  EXPECT_THAT(cards("a:b").path.missing, HasSubstr("through what reads it (2 operators)"));
}

// The shortest way over the edge, and all others.
TEST(EdgeCard, ThePathLeadsOverTheEdge) {
  const Cards cards(test::graph_of(R"(
  input %x: float32[8x8]
  %a: float32[8x8] = Relu(%x) "a"
  %b: float32[8x8] = Neg(%a) "b"
  %s: float32[8x8] = Softmax(%b) "s"
  %c: float32[8x8] = Abs(%a) "c"
  %d: float32[8x8] = Add(%s, %c) "d"
  output %d)"),
                    "dominator");
  EXPECT_EQ(cards.way(cards("a:b")),
            "a -Elementwise-> b -OutElementwiseFusable-> s -Elementwise-> d");
  EXPECT_EQ(cards.way(cards("a:c")), "a -Elementwise-> c -Elementwise-> d");
  EXPECT_EQ(cards("a:c").path.between.size(), 5u);
  EXPECT_EQ(cards("a:c").kinds.path, PatternKind::OutElementwiseFusable) << "that of all ways";
}

// What the dominator strategy tells of its tree is what the card shows, and what decided each edge
// is among its steps.
TEST(EdgeCard, AgreesWithTheStrategyThatGoesByPostDominators) {
  std::vector<graph::Graph> graphs;
  for (const char* sample : {"lenet", "encoder", "mobilenet_v1", "yolov4"})
    graphs.push_back(samples::find_sample(sample)->build(0).value());
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u, 5u, 6u})
    graphs.push_back(test::image_network(seed, 40));
  for (const graph::Graph& graph : graphs) {
    const auto plan = std::make_shared<const Plan>(planned(graph, "dominator"));
    const EdgeCards cards(std::make_shared<const graph::Graph>(graph), plan, plan);
    std::map<graph::NodeId, const PlanEvent*> ancestors;  // the last word on each
    for (const PlanEvent& event : plan->events)
      if (event.kind == PlanEvent::Kind::Ancestor) ancestors[event.nodes.front()] = &event;
    for (const Decision& decision : plan->decisions) {
      SCOPED_TRACE(graph.name() + ": " + graph.node(decision.producer).name + ":" +
                   graph.node(decision.consumer).name);
      const EdgeCard card = cards(decision, one_nest(*plan));
      const PlanEvent& told = *ancestors.at(decision.producer);
      ASSERT_EQ(told.other.valid(), !card.path.stops.empty());
      if (told.other.valid()) {
        ASSERT_EQ(card.path.stops.back().node, told.other);
        const auto pattern =
            std::ranges::find(told.numbers, "pattern", &std::pair<std::string, double>::first);
        ASSERT_EQ(card.kinds.path, static_cast<PatternKind>(pattern->second));
        ASSERT_EQ(card.path.between.front(), decision.producer);
        ASSERT_EQ(card.path.between.back(), told.other);
      }
      ASSERT_TRUE(card.nests.missing.empty()) << card.nests.missing;
      ASSERT_FALSE(card.steps.events.empty()) << card.steps.missing;
      const PlanEvent& last = plan->events[card.steps.events.back()];
      EXPECT_EQ(last.kind, decision.fused ? PlanEvent::Kind::Merge : PlanEvent::Kind::Refuse);
    }
  }
}

// With another strategy at work as well, fused edges have the merge that made them so.
TEST(EdgeCard, FusedEdgesHaveTheirMergeInEveryStrategy) {
  for (const char* sample : {"lenet", "encoder"})
    for (const char* strategy : {"dominator", "mapping", "dp"}) {
      const graph::Graph graph = samples::find_sample(sample)->build(0).value();
      const auto plan = std::make_shared<const Plan>(planned(graph, strategy));
      const EdgeCards cards(std::make_shared<const graph::Graph>(graph), plan, plan);
      for (const Decision& decision : plan->decisions) {
        SCOPED_TRACE(fmt::format("{}, {}: {}:{}", sample, strategy,
                                 graph.node(decision.producer).name,
                                 graph.node(decision.consumer).name));
        const EdgeSteps steps = cards(decision, one_nest(*plan)).steps;
        EXPECT_EQ(steps.events.empty(), !steps.missing.empty());
        if (decision.fused) {
          ASSERT_FALSE(steps.events.empty()) << steps.missing;
          EXPECT_EQ(plan->events[steps.events.back()].kind, PlanEvent::Kind::Merge);
        }
      }
    }
}

}  // namespace
}  // namespace loopglass::fusion
