// Which value is which in another graph of the history, and where the two part.
#include "core/debug/lens.h"

#include "samples/network.h"
#include "tests/debug/debug_graphs.h"
#include "tests/random/random_network.h"
#include "tests/random/time_limit.h"

#include <gmock/gmock.h>

namespace loopglass::debug {
namespace {

using ::testing::ElementsAre;

// "a=b (rewrite)" for each, in id order.
std::vector<std::string> in_words(const Correspondence& correspondence, const graph::Graph& before,
                                  const graph::Graph& after) {
  std::vector<std::string> words;
  for (const auto& [value, counterpart] : correspondence)
    words.push_back(before.value(value).name + "=" + after.value(counterpart.value).name + " (" +
                    std::string(name(counterpart.match)) + ")");
  return words;
}

std::vector<std::string> whole_history(Session& session) {
  const std::size_t last = session.graph_history().value()->steps.size() - 1;
  const auto found = correspondence(session, {0}, {last}).value();
  return in_words(found, *session.graph_at(0, pass::Report::all).value(),
                  *session.graph_at(last, pass::Report::all).value());
}

constexpr std::string_view convolution = R"(
  graph "convolution" {
    input %x: float32[1x2x4x4]
    const %w: float32[2x2x1x1] = [1, 2, 3, 4]
    const %gamma: float32[2] = [1, 2]
    const %beta: float32[2] = [0.5, 0.25]
    const %mean: float32[2] = [0.1, 0.2]
    const %var: float32[2] = [1, 4]
    %c: float32[1x2x4x4] = Conv(%x, %w, _) {pads = [0, 0, 0, 0]} "conv"
    %n: float32[1x2x4x4] = BatchNormalization(%c, %gamma, %beta, %mean, %var) "bn"
    %y: float32[1x2x4x4] = Relu(%n) "relu"
    output %y
  })";

// The convolution that comes out computes what the normalisation did, not what the convolution did.
TEST(Correspondence, WhatLeavesARewriteStandsForWhatLeftBefore) {
  auto session = session_on(parsed(convolution), "fold-batch-norm");
  EXPECT_THAT(whole_history(*session), ElementsAre("x=x (id)", "n=n (rewrite)", "y=y (id)"));
}

// Each rewrite takes up what the one before it made; in the end only the outermost values are left.
TEST(Correspondence, RewritesOfRewritesAreSeenThrough) {
  const auto renew = [](std::string name) {
    return replace_each(std::move(name), "Add", [](const std::string&) { return "Add"; });
  };
  auto session = session_on(additions(), "once, twice", with({renew("once"), renew("twice")}));
  const auto words = whole_history(*session);
  EXPECT_THAT(words, ::testing::Contains("a=a (rewrite)")) << ::testing::PrintToString(words);
  EXPECT_EQ(words.size(), 8u);
}

TEST(Correspondence, BackwardsItIsTheSame) {
  auto session = session_on(parsed(convolution), "fold-batch-norm");
  const auto forwards = correspondence(*session, {0}, {1}).value(),
             backwards = correspondence(*session, {1}, {0}).value();
  EXPECT_EQ(forwards.size(), backwards.size());
  for (const auto& [value, counterpart] : forwards)
    EXPECT_EQ(backwards.at(counterpart.value).value, value);
}

TEST(Correspondence, InTheMiddleOfAStepOnlyItsFirstRewritesCount) {
  auto session =
      session_on(additions(), "renew",
                 with({replace_each("renew", "Add", [](const std::string&) { return "Add"; })}));
  const auto before = session->graph_at(0, pass::Report::all).value(),
             after = session->graph_at(1, 2).value();
  const auto found = correspondence(*session, {0}, {1, 2}).value();
  EXPECT_EQ(found.at(before->find_value("b")->id).match, Match::Rewrite);
  EXPECT_EQ(found.at(before->find_value("c")->id).match, Match::Id);
}

TEST(Correspondence, WithoutRewritesOnlyNamesAndPlacesHelp) {
  const graph::Graph before = parsed(R"(
    graph "before" {
      input %x: float32[2]
      %a: float32[2] = Exp(%x) "a"
      %b: float32[2] = Neg(%a) "b"
      output %b
    })");
  graph::GraphBuilder builder(before);
  const auto made = builder.add_node("sine", op("Sin"), {before.inputs()[0]}, {}).value();
  const auto end = builder.add_node("end", op("Neg"), {builder.output(made)}, {}).value();
  builder.replace_uses(before.outputs()[0], builder.output(end));
  builder.remove_node(before.find_node("b")->id);
  builder.remove_node(before.find_node("a")->id);
  builder.rename(builder.output(made), "a");
  const graph::Graph after = std::move(builder).finish().value();
  EXPECT_THAT(in_words(correspondence(before, after, {}), before, after),
              ElementsAre("x=x (id)", "a=a (name)", "b=b (rewrite)"));
}

// A pass that takes away where it should add, at node "c".
Toolchain wrong_at(const std::string& victim) {
  return with({replace_each(
      "wrong", "Add", [=](const std::string& node) { return node == victim ? "Sub" : "Add"; })});
}

Comparison compared(Session& session, const CompareOptions& options = {}) {
  const std::size_t last = session.graph_history().value()->steps.size() - 1;
  const auto before = session.graph_at(0, pass::Report::all).value(),
             after = session.graph_at(last, pass::Report::all).value();
  Evaluator evaluator(passes::toolchain(), 1);
  return compare(evaluator, *before, *after, correspondence(session, {0}, {last}).value(),
                 random_inputs(*before, 1), options)
      .value();
}

TEST(Compare, NamesTheFirstValueThatDiverges) {
  auto session = session_on(additions(), "wrong", wrong_at("c"));
  const Comparison comparison = compared(*session);
  ASSERT_TRUE(comparison.first_divergence);
  const Difference& first = comparison.values[*comparison.first_divergence];
  EXPECT_EQ(first.name_before, "c");
  EXPECT_EQ(first.match, Match::Rewrite);
  EXPECT_EQ(first.absolute_error, 2);  // plus one, minus one
  EXPECT_EQ(first.outside, 6);
  for (std::size_t i = 0; i < comparison.values.size(); ++i)
    EXPECT_EQ(comparison.values[i].bitwise_different > 0, i >= *comparison.first_divergence)
        << comparison.values[i].name_after;
  EXPECT_EQ(comparison.only_before, 0u);
  EXPECT_EQ(comparison.only_after, 0u);
}

TEST(Compare, ARightHistoryHasNoDivergence) {
  auto session = session_on(parsed(convolution), "fold-batch-norm");
  const Comparison comparison = compared(*session);
  EXPECT_FALSE(comparison.first_divergence);
  EXPECT_EQ(comparison.values.size(), 2u);
  EXPECT_EQ(comparison.only_before, 1u);  // the convolution's own result
}

// Whatever the passes do to a network, every value that stands for another is the same.
TEST(Compare, NothingDivergesInRandomNetworks) {
  for (std::uint32_t seed = 1; seed <= 60; ++seed) {
    test::RandomNetwork how;
    how.operators = 25;
    how.jumps = false;
    const graph::Graph graph = test::random_network(seed, how);
    const test::TimeLimit limit(graph::to_text(graph));
    auto session = session_on(graph, "default");
    const Comparison comparison = compared(*session, {{1e-9, 1e-7, 1e-2}});
    const auto& first = comparison.first_divergence;
    EXPECT_FALSE(first) << "seed " << seed << ": " << comparison.values[*first].name_before
                        << " and " << comparison.values[*first].name_after << " by "
                        << name(comparison.values[*first].match) << ", relative error "
                        << comparison.values[*first].relative_error;
  }
}

// Convolutions and what works on their results, in images as wide as they have channels, so that
// another order of the dimensions is no other type.
graph::Graph images() {
  samples::Network network("images");
  const auto x = network.input("x", {1, 16, 16, 16});
  const samples::Network::Convolution wide{.channels = 16, .kernel = 3};
  const auto first = network.relu("relu1", network.convolution("conv1", x, wide));
  const auto second = network.relu("relu2", network.convolution("conv2", first, wide));
  return std::move(network).finish({network.apply("sum", "Add", {first, second})}).value();
}

TEST(Compare, SeesThroughLayouts) {
  for (const char* pass : {"layout-nhwc", "layout-blocked"}) {
    auto session = session_on(images(), pass);
    const auto history = session->graph_history().value();
    ASSERT_GT(history->steps.back().rewrites.size(), 2u) << pass;
    const Comparison comparison = compared(*session);
    EXPECT_EQ(comparison.values.size(), 5u) << pass;
    EXPECT_FALSE(comparison.first_divergence) << pass;
    for (const Difference& value : comparison.values)
      EXPECT_TRUE(value.comparable) << pass << " " << value.name_after;
  }
}

TEST(Compare, FindsWhatDivergesBehindALayout) {
  auto session =
      session_on(images(), "layout-blocked, wrong",
                 with({replace_each("wrong", "Add", [](const std::string&) { return "Sub"; })}));
  const Comparison comparison = compared(*session);
  ASSERT_TRUE(comparison.first_divergence);
  EXPECT_EQ(comparison.values[*comparison.first_divergence].name_before, "sum");
}

// However little may be held, one value at a time will do.
TEST(Compare, LittleMemoryTakesMoreRunsAndSaysTheSame) {
  auto session = session_on(additions(), "wrong", wrong_at("c"));
  const Comparison at_once = compared(*session), in_slices = compared(*session, {{}, 1});
  ASSERT_EQ(at_once.values.size(), in_slices.values.size());
  EXPECT_EQ(at_once.first_divergence, in_slices.first_divergence);
  for (std::size_t i = 0; i < at_once.values.size(); ++i)
    EXPECT_EQ(at_once.values[i].absolute_error, in_slices.values[i].absolute_error);
}

TEST(Compare, ValuesOfOtherTypesAreNamedNotCompared) {
  const graph::Graph before = parsed(R"(
    graph "before" {
      input %x: float32[2x3]
      %y: float32[6] = Reshape(%x) {shape = [6]} "reshape"
      output %y
    })");
  graph::GraphBuilder builder(before);
  builder.set_outputs({before.inputs()[0]});
  builder.remove_node(before.find_node("reshape")->id);
  const graph::Graph after = std::move(builder).finish().value();
  Evaluator evaluator(passes::toolchain(), 1);
  // The outputs' places would pair y with x, which is spoken for.
  const Comparison comparison =
      compare(evaluator, before, after, {{before.outputs()[0], {after.inputs()[0], Match::Name}}},
              random_inputs(before, 1))
          .value();
  ASSERT_EQ(comparison.values.size(), 1u);
  EXPECT_FALSE(comparison.values[0].comparable);
  EXPECT_FALSE(comparison.first_divergence);
}

TEST(Look, ListsInputsAndResultsButNoConstantsUnlessAsked) {
  const graph::Graph graph = additions();
  Evaluator evaluator(passes::toolchain(), 1);
  const auto all = look(evaluator, graph, random_inputs(graph, 1)).value();
  EXPECT_EQ(all.size(), 8u);
  EXPECT_EQ(all.front().name, "x");
  EXPECT_EQ(all.back().name, "y");
  const auto one =
      look(evaluator, graph, random_inputs(graph, 1), {graph.find_value("one")->id}).value();
  ASSERT_EQ(one.size(), 1u);
  EXPECT_TRUE(one[0].is_constant);
  EXPECT_EQ(one[0].maximum, 1);
}

}  // namespace
}  // namespace loopglass::debug
