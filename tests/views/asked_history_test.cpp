// One history of all that a person asks: passes, strategy, edges, edits; and what its steps are
// called.
#include "views/document/asked_history.h"

#include "tests/views/opened.h"
#include "views/document/undo_actions.h"

#include <QAction>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

using EditKind = fusion::Edit::Kind;

Asked of_strategy(const char* strategy) { return {"teaching", {}, {strategy, {}, {}}}; }

TEST(AskedHistory, WhatWasUndoneIsForgottenWithTheNextStep) {
  AskedHistory history(of_strategy("dominator"));
  history.add(of_strategy("dp"));
  history.add(of_strategy("none"));
  history.undo();
  EXPECT_EQ(history.now(), of_strategy("dp"));
  EXPECT_EQ(*history.after(), of_strategy("none"));
  history.add(of_strategy("mapping"));
  EXPECT_FALSE(history.after());
  history.undo();
  history.undo();
  EXPECT_EQ(history.now(), of_strategy("dominator"));
  EXPECT_FALSE(history.before());
  history.undo();
  EXPECT_EQ(history.now(), of_strategy("dominator")) << "there is nothing before the first";
}

class PlanStepsTest : public testing::Test {
 protected:
  PlanStepsTest() : opened_("encoder"), again_(&document(), false, nullptr) {}
  Document& document() { return opened_.document; }
  bool settled() { return views::settled(document()); }
  fusion::Edge fused_edge() {
    for (const fusion::Decision& decision : document().fusion().plan()->decisions)
      if (decision.fused) return {decision.producer, decision.consumer};
    ADD_FAILURE() << "nothing is fused";
    return {};
  }
  std::string name(graph::NodeId id) { return document().history().last_graph()->node(id).name; }
  std::string shown_kernel() {
    return document().fusion().plan()->group(document().kernels().group()).name;
  }
  std::string undo_text() { return again_.undo()->text().toStdString(); }

  Opened opened_;
  UndoActions again_;
};

TEST_F(PlanStepsTest, EveryStepIsNamedAndTakenBackInItsTurn) {
  const QString strategy = document().strategy();
  const fusion::Edge edge = fused_edge();
  const std::string ends = name(edge.producer) + ":" + name(edge.consumer);
  EXPECT_FALSE(again_.undo()->isEnabled());
  EXPECT_EQ(undo_text(), "&Undo");

  document().set_constraints({{}, {edge}});
  ASSERT_TRUE(settled());
  EXPECT_EQ(undo_text(), "&Undo forbid " + ends);
  document().set_strategy("none");
  ASSERT_TRUE(settled());
  EXPECT_EQ(undo_text(), "&Undo strategy none");
  document().add_edit({EditKind::Pin, {name(edge.producer)}});
  ASSERT_TRUE(settled());
  const std::string pin = fusion::to_text(document().edits().edits[0]);
  EXPECT_EQ(undo_text(), "&Undo " + pin);
  document().remove_edit(0);
  ASSERT_TRUE(settled());
  EXPECT_EQ(undo_text(), "&Undo remove " + pin);

  for (int i = 0; i < 3; ++i) again_.undo()->trigger();
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().strategy(), strategy);
  EXPECT_EQ(document().constraints(), (fusion::Constraints{{}, {edge}}));
  EXPECT_EQ(again_.redo()->text(), "&Redo strategy none");
  again_.undo()->trigger();
  ASSERT_TRUE(settled());
  EXPECT_TRUE(document().constraints().empty());
  EXPECT_EQ(document().fusion().plan()->group_of(edge.producer),
            document().fusion().plan()->group_of(edge.consumer));
  EXPECT_EQ(again_.redo()->text().toStdString(), "&Redo forbid " + ends);
  again_.redo()->trigger();
  ASSERT_TRUE(settled());
  EXPECT_NE(document().fusion().plan()->group_of(edge.producer),
            document().fusion().plan()->group_of(edge.consumer));
}

TEST_F(PlanStepsTest, AllThatIsAskedIsTakenBackAsOneStep) {
  const QString strategy = document().strategy();
  const fusion::Edge edge = fused_edge();
  document().set_constraints({{}, {edge}});
  document().add_edit({EditKind::Pin, {name(edge.producer)}});
  ASSERT_TRUE(settled());
  document().leave_all_to_strategy();
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().plan_asked(), (PlanAsked{strategy.toStdString(), {}, {}}));
  EXPECT_EQ(document().undo_words(), "remove all");
  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_FALSE(document().constraints().empty());
  EXPECT_EQ(document().edits().edits.size(), 1u);
}

// What cannot be is no step.
TEST_F(PlanStepsTest, ARefusalLeavesNothingToUndo) {
  const fusion::Edge edge = fused_edge();
  document().set_constraints({{edge}, {edge}});
  ASSERT_TRUE(settled());
  ASSERT_TRUE(document().plan_refusal());
  EXPECT_EQ(document().undo_words(), "");
  EXPECT_EQ(document().redo_words(), "");
}

// Of a pass that is switched off in a long pipeline its name is said; and the kernel that somebody
// looks at is shown on, where the other passes make it too.
TEST_F(PlanStepsTest, APassIsTakenBackByItsName) {
  const auto& groups = document().fusion().plan()->groups;
  ASSERT_GT(groups.size(), 2u);
  document().kernels().select(groups.back().id);
  ASSERT_TRUE(settled());
  const std::string shown = shown_kernel();
  const auto pipeline = document().toolchain().parse_pipeline(document().pipeline());
  ASSERT_TRUE(pipeline);
  pass::Pipeline without = *pipeline;
  const std::string gone = without.entries.back().passes.back();
  ASSERT_FALSE(without.entries.back().fixed_point);
  without.entries.pop_back();
  ASSERT_TRUE(document().set_pipeline(pass::to_text(without)));
  ASSERT_TRUE(settled());
  EXPECT_EQ(undo_text(), "&Undo passes without " + gone);
  EXPECT_EQ(shown_kernel(), shown);
  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(again_.redo()->text().toStdString(), "&Redo passes without " + gone);
  EXPECT_EQ(shown_kernel(), shown);
  document().redo();
  ASSERT_TRUE(document().set_pipeline(pass::to_text(*pipeline)));
  ASSERT_TRUE(settled());
  EXPECT_EQ(undo_text(), "&Undo passes with " + gone);
}

// Numbers are others' in another history: what is selected is followed by its name.
TEST_F(PlanStepsTest, WhatIsSelectedIsFollowedToOtherPasses) {
  const auto history = [&] { return document().history().recorded(); };
  // One that a pass has made, in its step.
  const graph::Graph& first = *history()->steps.front().result;
  const graph::Node* made = nullptr;
  for (const auto& node : document().history().graph()->nodes())
    if (!first.find(node->id)) made = node.get();
  ASSERT_TRUE(made);
  const std::string name = made->name;
  document().selection().select_node(made->id);
  const auto pipeline = document().toolchain().parse_pipeline(document().pipeline());
  ASSERT_TRUE(pipeline);
  for (std::size_t gone = 0; gone < pipeline->entries.size(); ++gone) {
    pass::Pipeline without = *pipeline;
    without.entries.erase(without.entries.begin() + static_cast<std::ptrdiff_t>(gone));
    ASSERT_TRUE(document().set_pipeline(pass::to_text(without)));
    ASSERT_TRUE(settled());
    const auto* selected = std::get_if<SelectedNode>(&document().selection().current());
    ASSERT_TRUE(selected) << gone;
    EXPECT_EQ(selected->node->name, name);
    const bool is_there = std::ranges::any_of(history()->steps, [&](const auto& step) {
      return step.result->find(selected->node->id) &&
             step.result->share(selected->node->id) == selected->node;
    });
    EXPECT_TRUE(is_there) << pass::to_text(without);
  }
}

// Edges go by nodes, which other passes do not make; the old passes make them again.
TEST_F(PlanStepsTest, OtherPassesAreAStepLikeAnyOther) {
  document().set_strategy("mapping");
  ASSERT_TRUE(settled());
  const std::string preset = document().pipeline();
  const std::size_t steps = document().history().recorded()->steps.size();
  const fusion::Edge edge = fused_edge();
  document().set_constraints({{}, {edge}});
  ASSERT_TRUE(settled());
  ASSERT_TRUE(document().set_pipeline("remove-dead-code"));
  ASSERT_TRUE(settled());
  EXPECT_TRUE(document().constraints().empty());
  EXPECT_EQ(document().strategy(), "mapping");
  EXPECT_EQ(document().undo_words(), "passes remove-dead-code");
  EXPECT_EQ(document().history().recorded()->steps.size(), 2u);

  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().pipeline(), preset);
  EXPECT_EQ(document().history().recorded()->steps.size(), steps);
  EXPECT_EQ(document().constraints(), (fusion::Constraints{{}, {edge}}));
  ASSERT_TRUE(document().fusion().plan());
  EXPECT_NE(document().fusion().plan()->group_of(edge.producer),
            document().fusion().plan()->group_of(edge.consumer));
  document().redo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().pipeline(), "remove-dead-code");
  EXPECT_TRUE(document().constraints().empty());
}

TEST_F(PlanStepsTest, AMemoryLimitIsTakenBack) {
  document().set_settings({.memory_limit = std::int64_t{4} << 20});
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().undo_words(), "memory limit 4 MiB");
  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_FALSE(document().settings().memory_limit);
  EXPECT_FALSE(document().session()->settings().memory_limit);
}

}  // namespace
}  // namespace loopglass::views
