// A person's own partition in the document: edits, undo and redo, refusals, and what replays them.
#include "tests/views/opened.h"
#include "views/document/command_line.h"

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

using EditKind = fusion::Edit::Kind;

class PlanEditsTest : public testing::Test {
 protected:
  PlanEditsTest() : opened_("encoder") {}
  Document& document() { return opened_.document; }
  const std::string& name(graph::NodeId id) {
    return document().history().last_graph()->node(id).name;
  }
  bool together(const fusion::Edge& edge) {
    return document().fusion().plan()->group_of(edge.producer) ==
           document().fusion().plan()->group_of(edge.consumer);
  }
  // The first edge of a kernel of two operators, so that a split leaves nothing else behind.
  fusion::Edge fused_pair() {
    for (const fusion::Decision& decision : document().fusion().plan()->decisions)
      if (decision.fused && document()
                                    .fusion()
                                    .plan()
                                    ->group(document().fusion().plan()->group_of(decision.producer))
                                    .nodes.size() == 2)
        return {decision.producer, decision.consumer};
    ADD_FAILURE() << "no kernel of two operators";
    return {};
  }
  fusion::Edit split(const fusion::Edge& edge) { return {EditKind::Split, {name(edge.consumer)}}; }
  fusion::Edit merge(const fusion::Edge& edge) {
    return {EditKind::Merge, {name(edge.producer), name(edge.consumer)}};
  }
  bool settled() { return views::settled(document()); }

  Opened opened_;
};

// The plan that is shown is what an edit begins with, and without any edit it is back.
TEST_F(PlanEditsTest, AnEditMakesThePartitionOnesOwn) {
  const QString before = document().strategy();
  const fusion::Edge edge = fused_pair();
  document().add_edits({split(edge)});
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().strategy(), "manual");
  EXPECT_EQ(document().edits().base, before.toStdString());
  EXPECT_FALSE(together(edge));
  document().remove_edit(0);
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().strategy(), before);
  EXPECT_TRUE(document().edits().edits.empty());
  EXPECT_TRUE(together(edge));
}

TEST_F(PlanEditsTest, EditsAreUndoneAndRedone) {
  const fusion::Edge edge = fused_pair();
  document().add_edits({split(edge)});
  document().add_edits({merge(edge)});
  ASSERT_TRUE(settled());
  EXPECT_TRUE(together(edge));
  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_FALSE(together(edge));
  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_TRUE(together(edge));
  EXPECT_EQ(document().undo_words(), "");
  EXPECT_NE(document().strategy(), "manual");
  document().redo();
  ASSERT_TRUE(settled());
  EXPECT_FALSE(together(edge));
  EXPECT_NE(document().redo_words(), "");
}

// A refusal bears the reason's code, and everything is as it was: the plan, the edits, what can be
// undone.
TEST_F(PlanEditsTest, AnIllegalEditIsRefusedWithTheReasonsCode) {
  const fusion::Edge edge = fused_pair();
  document().add_edits({{EditKind::Pin, {name(edge.producer)}}});
  ASSERT_TRUE(settled());
  document().add_edits({split(edge)});
  document().add_edits({{EditKind::Split, {"no such operator"}}});  // faster than plans are made
  ASSERT_TRUE(settled());
  ASSERT_TRUE(document().fusion().plan());
  ASSERT_TRUE(document().plan_refusal());
  EXPECT_EQ(document().plan_refusal()->code, Code::PlanInvalid);
  EXPECT_NE(document().plan_refusal()->what.find("PINNED"), std::string::npos)
      << document().plan_refusal()->what;
  ASSERT_EQ(document().edits().edits.size(), 1u);
  EXPECT_EQ(document().edits().edits[0].kind, EditKind::Pin);
  EXPECT_TRUE(together(edge));
  document().remove_edit(0);
  EXPECT_FALSE(document().plan_refusal()) << "something else was asked";
}

// Other passes may take an operator away that an edit names: the strategy that the edits began with
// stands in, and the edits stay to be mended.
TEST_F(PlanEditsTest, EditsThatOutliveTheirOperatorsAreRefused) {
  const std::string preset = document().pipeline();
  std::string passing;
  for (const graph::NodePtr& node : document().history().recorded()->steps.front().result->nodes())
    if (!document().history().last_graph()->find_node(node->name)) passing = node->name;
  ASSERT_FALSE(passing.empty()) << "the passes take no operator away";
  ASSERT_TRUE(document().set_pipeline("remove-dead-code"));
  ASSERT_TRUE(settled());
  document().set_edits({"dominator", {{EditKind::Split, {passing}}}});
  ASSERT_TRUE(settled());
  ASSERT_EQ(document().strategy(), "manual");
  ASSERT_TRUE(document().set_pipeline(preset));
  ASSERT_TRUE(settled());
  ASSERT_TRUE(document().fusion().plan());
  EXPECT_EQ(document().strategy(), "dominator");
  ASSERT_TRUE(document().plan_refusal());
  EXPECT_EQ(document().plan_refusal()->code, Code::GraphEntityUnknown);
  EXPECT_EQ(document().edits().edits.size(), 1u);
}

TEST_F(PlanEditsTest, ADifferentStrategyBeginsAnew) {
  const std::string before = document().strategy().toStdString();
  const fusion::Edge edge = fused_pair();
  document().add_edits({split(edge)});
  ASSERT_TRUE(settled());
  document().set_strategy("none");
  ASSERT_TRUE(settled());
  document().add_edits({merge(edge)});
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().edits(), (fusion::EditScript{"none", {merge(edge)}}));
  EXPECT_TRUE(together(edge));
  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().strategy(), "none");
  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_EQ(document().edits().base, before) << "the edits of before are back";
  EXPECT_FALSE(together(edge));
}

// The command at the foot of the pane replays what was done with the mouse.
TEST_F(PlanEditsTest, TheCommandSaysTheEdits) {
  const fusion::Edge edge = fused_pair();
  document().set_strategy("none");
  document().add_edits({merge(edge)});
  ASSERT_TRUE(settled());
  const QString command = fuse_command(document());
  EXPECT_TRUE(command.contains("--strategy none")) << command.toStdString();
  EXPECT_TRUE(command.contains("--edit 'merge ")) << command.toStdString();
  const auto parsed = fusion::parse_edits(fusion::to_text(document().edits()));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(*parsed, document().edits()) << "what is saved is what a file given to --edits says";
  document().set_strategy("dominator");
  EXPECT_FALSE(fuse_command(document()).contains("--edit"));
}

TEST_F(PlanEditsTest, AnotherModelHasNoEdits) {
  document().add_edits({split(fused_pair())});
  ASSERT_TRUE(settled());
  document().open(sample_source("mlp"));
  ASSERT_TRUE(settled());
  EXPECT_NE(document().strategy(), "manual");
  EXPECT_TRUE(document().edits().edits.empty());
  EXPECT_EQ(document().undo_words(), "");
}

TEST_F(PlanEditsTest, WhatIsGuessedIsHiddenUntilItIsSaid) {
  const fusion::Edge edge = fused_pair();
  EXPECT_FALSE(document().fusion().is_hidden(edge));
  document().fusion().set_guessing(true);
  EXPECT_TRUE(document().fusion().is_hidden(edge));
  document().fusion().reveal(edge);
  EXPECT_FALSE(document().fusion().is_hidden(edge));
  document().set_strategy("none");
  ASSERT_TRUE(settled());
  EXPECT_TRUE(document().fusion().is_hidden(edge)) << "another verdict, another guess";
  document().undo();
  ASSERT_TRUE(settled());
  EXPECT_FALSE(document().fusion().is_hidden(edge)) << "it was told";
}

}  // namespace
}  // namespace loopglass::views
