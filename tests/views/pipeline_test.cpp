// Editing the pipeline of passes: as a draft, and by clicks, keys and text in the pane.
#include "views/timeline/pipeline_view.h"

#include "tests/views/opened.h"

#include <QAction>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTreeWidget>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

using Place = PipelineDraft::Place;

PipelineDraft draft_of(const char* text) {
  std::vector<pass::PassInfo> passes;
  for (const char* name : {"a", "b", "c"}) passes.push_back({name, "", ""});
  return PipelineDraft::of(pass::parse_pipeline(text, passes, {}).value());
}

TEST(PipelineDraft, IsThePipelineItWasMadeOf) {
  EXPECT_EQ(draft_of("a, (b, c)*, a").text(), "a, (b, c)*, a");
}

TEST(PipelineDraft, ShowsWhatIsLackingOfAWhole) {
  const char* const whole = "(a, b)*, a, (b)*";
  for (const char* part : {"(a, b)*, a, (b)*", "(a)*", "a", "(b)*, a, (b)*", "a, (b)*"}) {
    const auto draft = PipelineDraft::within(draft_of(part).pipeline(), draft_of(whole).pipeline());
    ASSERT_TRUE(draft) << part;
    EXPECT_EQ(draft->text(), part);
    EXPECT_EQ(draft->entries.size(), 3u) << "all of it is in the list";
  }
  for (const char* other : {"a, a", "(b, a)*", "b", "a, (a)*"})
    EXPECT_FALSE(PipelineDraft::within(draft_of(other).pipeline(), draft_of(whole).pipeline()))
        << other;
}

TEST(PipelineDraft, WhatIsSwitchedOffStaysInTheListButNotInThePipeline) {
  PipelineDraft draft = draft_of("a, (b, c)*");
  draft.set_enabled({1, 0}, false);
  EXPECT_EQ(draft.text(), "a, (c)*");
  draft.set_enabled({1, {}}, false);
  EXPECT_EQ(draft.text(), "a");
  draft.set_enabled({0, {}}, false);
  EXPECT_EQ(draft.text(), "none") << "an empty text would mean the default";
  draft.set_enabled({1, {}}, true);
  EXPECT_EQ(draft.text(), "(b, c)*");
}

TEST(PipelineDraft, PassesMoveWithinTheirGroupAndOutOfIt) {
  PipelineDraft draft = draft_of("a, (b, c)*");
  EXPECT_EQ(draft.move({1, 1}, -1), (Place{1, 0}));
  EXPECT_EQ(draft.text(), "a, (c, b)*");
  EXPECT_EQ(draft.move({1, 0}, -1), (Place{1, {}})) << "out, to before the group";
  EXPECT_EQ(draft.text(), "a, c, (b)*");
  EXPECT_EQ(draft.move({2, 0}, 1), (Place{2, {}})) << "the group is empty then, and gone";
  EXPECT_EQ(draft.text(), "a, c, b");
  EXPECT_EQ(draft.move({2, {}}, 1), std::nullopt);
}

TEST(PipelineDraft, GroupsAreMadeFilledAndOpened) {
  PipelineDraft draft = draft_of("a, b");
  EXPECT_EQ(draft.group({1, {}}), (Place{1, {}}));
  EXPECT_EQ(draft.add("c", Place{1, 0}), (Place{1, 1}));
  EXPECT_EQ(draft.text(), "a, (b, c)*");
  draft.duplicate({1, {}});
  EXPECT_EQ(draft.text(), "a, (b, c)*, (b, c)*");
  draft.ungroup({1, {}});
  EXPECT_EQ(draft.text(), "a, b, c, (b, c)*");
  EXPECT_EQ(draft.remove({0, {}}), (Place{0, {}}));
  EXPECT_EQ(draft.remove({2, 1}), (Place{2, 0}));
  EXPECT_EQ(draft.text(), "b, c, (b)*");
}

class PipelineViewTest : public testing::Test {
 protected:
  PipelineViewTest() : opened_("lenet"), view_(&opened_.document) {
    view_.resize(420, 500);
    view_.show();
  }
  Document& document() { return opened_.document; }
  QTreeWidget& tree() { return *view_.findChild<QTreeWidget*>("pipelineTree"); }
  QLineEdit& text() { return *view_.findChild<QLineEdit*>("pipelineText"); }
  void use(const char* pipeline) {
    ASSERT_TRUE(document().set_pipeline(pipeline));
    ASSERT_TRUE(settled(document()));
  }

  Opened opened_;
  PipelineView view_;
};

TEST_F(PipelineViewTest, ShowsThePresetInUseAndChangesToAnother) {
  auto& box = *view_.findChild<QComboBox*>("presetBox");
  EXPECT_EQ(box.currentText().toStdString(), document().pipeline());
  const int other = box.findText("none");
  ASSERT_GE(other, 0);
  box.setCurrentIndex(other);
  emit box.textActivated("none");
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().recorded()->steps.size(), 1u);
  EXPECT_EQ(tree().topLevelItemCount(), 0);
}

TEST_F(PipelineViewTest, AltDownMovesThePassAndTheHistoryFollows) {
  use("fold-constants, remove-dead-code");
  tree().setCurrentItem(tree().topLevelItem(0));
  QTest::keyClick(&tree(), Qt::Key_Down, Qt::AltModifier);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().pipeline(), "remove-dead-code, fold-constants");
  EXPECT_EQ(document().history().recorded()->steps[1].pass.name, "remove-dead-code");
  EXPECT_EQ(text().text(), "remove-dead-code, fold-constants");
  EXPECT_EQ(tree().currentItem(), tree().topLevelItem(1)) << "the pass stays current";
}

// The tree moves its rows on a drop; the pipeline is read from where they are then.
TEST_F(PipelineViewTest, ADropOrdersThePipelineAnew) {
  use("fold-constants, (simplify, remove-dead-code)*");
  QTreeWidgetItem* moved = tree().takeTopLevelItem(0);
  tree().topLevelItem(0)->insertChild(1, moved);
  view_.take_rows();
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().pipeline(), "(simplify, fold-constants, remove-dead-code)*");
}

TEST_F(PipelineViewTest, ATickSwitchesAPassOffAndOn) {
  use("fold-constants, remove-dead-code");
  tree().topLevelItem(0)->setCheckState(0, Qt::Unchecked);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().pipeline(), "remove-dead-code");
  ASSERT_EQ(tree().topLevelItemCount(), 2) << "it stays in the list";
  tree().topLevelItem(0)->setCheckState(0, Qt::Checked);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().pipeline(), "fold-constants, remove-dead-code");
}

TEST_F(PipelineViewTest, WhatWasSwitchedOffIsThereAgainWhenThatIsRedone) {
  use("fold-constants, remove-dead-code");
  tree().topLevelItem(0)->setCheckState(0, Qt::Unchecked);
  ASSERT_TRUE(settled(document()));
  document().undo();
  ASSERT_TRUE(settled(document()));
  ASSERT_EQ(tree().topLevelItemCount(), 2);
  EXPECT_EQ(tree().topLevelItem(0)->checkState(0), Qt::Checked);
  document().redo();
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().pipeline(), "remove-dead-code");
  ASSERT_EQ(tree().topLevelItemCount(), 2) << "with its row";
  EXPECT_EQ(tree().topLevelItem(0)->checkState(0), Qt::Unchecked);
}

TEST_F(PipelineViewTest, TextIsReadAndAMistakeIsToldBelowIt) {
  text().setText("(fold-constants, remove-dead-code)*");
  QTest::keyClick(&text(), Qt::Key_Return);
  ASSERT_TRUE(settled(document()));
  ASSERT_EQ(tree().topLevelItemCount(), 1);
  EXPECT_EQ(tree().topLevelItem(0)->childCount(), 2);
  auto& problem = *view_.findChild<QLabel*>("pipelineProblem");
  EXPECT_FALSE(problem.isVisible());
  text().setText("fold-constants, make-coffee");
  QTest::keyClick(&text(), Qt::Key_Return);
  EXPECT_TRUE(problem.isVisible());
  EXPECT_TRUE(problem.text().contains("make-coffee"));
  EXPECT_EQ(document().pipeline(), "(fold-constants, remove-dead-code)*") << "the old one stays";
}

TEST_F(PipelineViewTest, TheMemoryLimitIsASettingOfThePasses) {
  auto& limit = *view_.findChild<QSpinBox*>("memoryLimit");
  limit.setValue(64);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().settings().memory_limit, std::int64_t{64} << 20);
  limit.setValue(0);
  EXPECT_EQ(document().settings().memory_limit, std::nullopt);
}

// As it was left by an earlier window, which knows the passes that it has and no others.
TEST_F(PipelineViewTest, APresetLessAPassShowsThatPassSwitchedOff) {
  const Toolchain& toolchain = document().toolchain();
  std::vector<pass::PassInfo> passes;
  for (const pass::GraphPass& pass : toolchain.graph_passes) passes.push_back(pass.info);
  const auto preset =
      pass::parse_pipeline(toolchain.presets.front().name, passes, toolchain.presets);
  ASSERT_TRUE(preset);
  auto less = *preset;
  // One of a group, which stays.
  const auto group =
      std::ranges::find_if(less.entries, [](const auto& entry) { return entry.passes.size() > 1; });
  ASSERT_NE(group, less.entries.end());
  group->passes.pop_back();
  ASSERT_TRUE(document().set_pipeline(pass::to_text(less)));
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(view_.draft().switched_off(), 1u);
  EXPECT_EQ(view_.draft().text(), pass::to_text(less));
  EXPECT_EQ(view_.draft().entries.size(), preset->entries.size());
}

// The box has the keys of undo for what is typed into it, and only for that.
TEST_F(PipelineViewTest, UndoIsTheWindowsWhereNothingWasTyped) {
  auto& limit = *view_.findChild<QSpinBox*>("memoryLimit");
  const auto takes_undo = [&] {
    QKeyEvent undo(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
    undo.ignore();
    QApplication::sendEvent(&limit, &undo);
    return undo.isAccepted();
  };
  limit.setFocus();
  limit.stepUp();
  EXPECT_FALSE(takes_undo());
  QTest::keyClicks(&limit, "7");
  EXPECT_TRUE(takes_undo());
}

}  // namespace
}  // namespace loopglass::views
