// Stepping through a history: over passes, into their rewrites, and what a place is compared with.
#include "core/pass/position_name.h"
#include "tests/views/opened.h"

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

using pass::Position;

// input, a pass with three rewrites, one with none, one with one.
pass::GraphHistory history_of_four() {
  pass::GraphHistory history;
  for (const std::size_t rewrites : {0, 3, 0, 1}) {
    pass::Step<graph::Graph> step;
    step.rewrites.resize(rewrites);
    history.steps.push_back(std::move(step));
  }
  return history;
}

TEST(Walk, OverGoesFromPassToPass) {
  const auto history = history_of_four();
  EXPECT_EQ(walked(history, {0}, Walk::PassForward), Position{1});
  EXPECT_EQ(walked(history, {1, 2}, Walk::PassForward), Position{1}) << "to the end of the pass";
  EXPECT_EQ(walked(history, {3}, Walk::PassForward), std::nullopt);
  EXPECT_EQ(walked(history, {1, 2}, Walk::PassBack), Position{0});
  EXPECT_EQ(walked(history, {2}, Walk::PassBack), Position{1});
  EXPECT_EQ(walked(history, {0}, Walk::PassBack), std::nullopt);
}

TEST(Walk, IntoGoesFromRewriteToRewriteAndBackTheSameWay) {
  const auto history = history_of_four();
  const std::vector<Position> way = {{0}, {1, 1}, {1, 2}, {1}, {2}, {3}};
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    EXPECT_EQ(walked(history, way[i], Walk::RewriteForward), way[i + 1]);
    EXPECT_EQ(walked(history, way[i + 1], Walk::RewriteBack), way[i]);
  }
  EXPECT_EQ(walked(history, {3}, Walk::RewriteForward), std::nullopt);
  EXPECT_EQ(walked(history, {0}, Walk::RewriteBack), std::nullopt);
}

TEST(Walk, WhatChangesNothingCanBePassedOver) {
  auto history = history_of_four();
  history.steps[1].changed = true;
  EXPECT_EQ(walked(history, {1}, Walk::PassForward, true), Position{3})
      << "the end is a place all the same";
  EXPECT_EQ(walked(history, {1}, Walk::RewriteForward, true), (Position{3}));
  EXPECT_EQ(walked(history, {3}, Walk::PassBack, true), Position{1});
  EXPECT_EQ(walked(history, {1}, Walk::PassBack, true), Position{0});
  history.steps[1].changed = false;
  EXPECT_EQ(walked(history, {0}, Walk::PassForward, true), Position{3});
}

TEST(Walk, APlaceIsComparedWithTheOneBefore) {
  const auto history = history_of_four();
  EXPECT_EQ(place_before(history, {0}), std::nullopt);
  EXPECT_EQ(place_before(history, {1}), Position{0}) << "a pass as a whole";
  EXPECT_EQ(place_before(history, {1, 2}), (Position{1, 1})) << "one rewrite";
  EXPECT_EQ(place_before(history, {1, 1}), Position{0});
}

class StepsTest : public testing::Test {
 protected:
  Document& document() { return opened_.document; }
  std::size_t step_named(const std::string& pass) {
    const auto& steps = document().history().recorded()->steps;
    for (std::size_t i = 0; i < steps.size(); ++i)
      if (steps[i].pass.name == pass && !steps[i].rewrites.empty()) return i;
    ADD_FAILURE() << pass << " has nothing to do here";
    return 0;
  }
  Opened opened_{"resnet50", folding_pipeline};
};

// Each rewrite folds one batch normalisation away.
TEST_F(StepsTest, TheMiddleOfAStepShowsTheGraphSoFar) {
  const std::size_t fold = step_named("fold-batch-norm");
  const std::size_t before = document().history().recorded()->at(fold - 1).nodes().size();
  document().history().set_step(fold - 1);
  for (std::size_t rewrites = 1; rewrites <= 3; ++rewrites) {
    document().history().walk(Walk::RewriteForward);
    ASSERT_TRUE(settled(document()));
    EXPECT_EQ(document().history().position(), (Position{fold, rewrites}));
    EXPECT_EQ(document().history().graph()->nodes().size(), before - rewrites);
    EXPECT_EQ(document().history().base_graph()->nodes().size(), before - rewrites + 1);
  }
  document().history().walk(Walk::RewriteBack);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().position(), (Position{fold, 2}));
}

TEST_F(StepsTest, KeysPressedFasterThanPassesRunAreAllCounted) {
  const std::size_t fold = step_named("fold-batch-norm");
  document().history().set_step(fold - 1);
  for (int i = 0; i < 5; ++i) document().history().walk(Walk::RewriteForward);
  EXPECT_EQ(document().history().position(), Position{fold - 1}) << "the window does not wait";
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().position(), (Position{fold, 5}));
}

TEST_F(StepsTest, APinnedPlaceIsComparedWithWhereverOneGoes) {
  document().history().pin_base(Position{0});
  EXPECT_EQ(document().history().base_graph(), document().history().recorded()->steps[0].result);
  document().history().set_step(2);
  EXPECT_EQ(document().history().base_graph(), document().history().recorded()->steps[0].result);
  document().history().pin_base({});
  EXPECT_EQ(document().history().base_graph(), document().history().recorded()->steps[1].result);
}

TEST_F(StepsTest, APinnedPlaceOutlivesOtherPasses) {
  const std::string passes = document().pipeline();
  document().history().pin_base(Position{1});
  const std::string pinned = pass::position_name({1}, *document().history().recorded());
  ASSERT_TRUE(document().set_pipeline("remove-dead-code"));
  ASSERT_TRUE(settled(document()));
  document().undo();
  ASSERT_TRUE(settled(document()));
  ASSERT_EQ(document().pipeline(), passes);
  const auto& again = document().history().pinned_base();
  ASSERT_TRUE(again) << "though the passes meanwhile may not have led there";
  EXPECT_EQ(pass::position_name(*again, *document().history().recorded()), pinned);
  document().history().pin_base({});
  ASSERT_TRUE(document().set_pipeline("remove-dead-code"));
  ASSERT_TRUE(settled(document()));
  EXPECT_FALSE(document().history().pinned_base());
}

TEST_F(StepsTest, AnotherPipelineRunsTheRestAgainAndABadOneChangesNothing) {
  const auto before = document().history().recorded();
  const auto refused = document().set_pipeline("fold-constants, make-coffee");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("make-coffee"), std::string::npos);
  EXPECT_EQ(document().history().recorded(), before);
  ASSERT_TRUE(document().set_pipeline("none"));
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().recorded()->steps.size(), 1u);
  EXPECT_TRUE(document().fusion().plan());
}

// Whoever stands in the middle stays there, by the name of the pass, and so when it is taken back.
TEST_F(StepsTest, AnotherPipelineKeepsThePlace) {
  const auto step_name = [&] {
    return pass::position_name(document().history().position(), *document().history().recorded());
  };
  ASSERT_TRUE(document().set_pipeline("fold-constants, simplify, remove-dead-code"));
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(step_name(), "remove-dead-code") << "the end stays the end";
  document().history().set_step(2);
  EXPECT_EQ(step_name(), "simplify");
  ASSERT_TRUE(document().set_pipeline("simplify, remove-dead-code"));
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(step_name(), "simplify") << "under another number";
  document().undo();
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(step_name(), "simplify");
  EXPECT_EQ(document().history().step(), 2u);
  ASSERT_TRUE(document().set_pipeline("fold-constants, remove-dead-code"));
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(step_name(), "fold-constants") << "the pass before it, where it is gone";
}

// What was stopped can be taken up again.
TEST_F(StepsTest, PassesThatWereStoppedRunAgainWhenAsked) {
  EXPECT_FALSE(document().can_run_passes());
  ASSERT_TRUE(document().set_pipeline("teaching"));
  document().cancel_work();
  ASSERT_TRUE(document().model());
  ASSERT_FALSE(document().history().recorded());
  EXPECT_TRUE(document().can_run_passes());
  document().run_passes();
  ASSERT_TRUE(settled(document()));
  EXPECT_TRUE(document().history().recorded());
}

// Being cancelled says nothing about the question: who asks again gets the answer.
TEST_F(StepsTest, WhatWasCancelledIsDerivedWhenAskedForAgain) {
  Session& session = *document().session();
  Cancellation cancelled;
  cancelled.request();
  ASSERT_TRUE(session.set_pipeline("teaching"));
  const auto history = session.graph_history({}, cancelled);
  ASSERT_FALSE(history);
  EXPECT_EQ(history.error().code, Code::Cancelled);
  EXPECT_TRUE(session.graph_history());
  session.set_strategy("none");
  ASSERT_TRUE(session.plan());
  for (const bool compiled : {false, true}) {
    const fusion::GroupId group{compiled ? 1u : 0u};
    const auto code = compiled ? session.compiled(group, cancelled).error().code
                               : session.kernel(group, cancelled).error().code;
    EXPECT_EQ(code, Code::Cancelled);
    EXPECT_TRUE(session.kernel(group));
  }
}

}  // namespace
}  // namespace loopglass::views
