// The bisect pane: from two places to the rewrite that parts them.
#include "views/bisect/bisect_view.h"

#include "tests/views/opened.h"
#include "views/bisect/place_box.h"
#include "views/widgets/command_bar.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeWidget>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class BisectViewTest : public testing::Test {
 protected:
  BisectViewTest() : view_(&opened_.document) {
    view_.resize(600, 400);
    view_.show();
  }
  Document& document() { return opened_.document; }
  QString outcome() { return view_.findChild<QLabel*>("bisectOutcome")->text(); }
  QString command() { return view_.findChild<CommandBar*>()->command(); }
  QTreeWidget& probes() { return *view_.findChild<QTreeWidget*>("bisectProbes"); }
  QPushButton& button(const char* name) { return *view_.findChild<QPushButton*>(name); }
  PlaceBox& place(const char* name) { return *view_.findChild<PlaceBox*>(name); }
  void tolerate(const char* limit) {
    auto* line = view_.findChild<QLineEdit*>("bisectLimit");
    line->setText(limit);
    emit line->textEdited(limit);
  }
  void find() {
    button("bisectRun").click();
    ASSERT_TRUE(settled(document()));
  }

  Opened opened_{"encoder"};
  BisectView view_;
};

// Without any tolerance, the first rewrite that rounds otherwise is guilty.
TEST_F(BisectViewTest, FindsTheGuiltyRewriteAndGoesThere) {
  tolerate("0");
  EXPECT_EQ(command(), "loopglassc bisect encoder input last --by values --tolerance 0");
  find();
  ASSERT_TRUE(view_.report());
  ASSERT_EQ(view_.report()->outcome, debug::BisectOutcome::Found) << outcome().toStdString();
  const debug::Culprit& culprit = *view_.report()->culprit;
  ASSERT_TRUE(culprit.rewrite);
  EXPECT_TRUE(outcome().contains(QString::fromStdString(culprit.rewrite->rule)));
  EXPECT_EQ(probes().topLevelItemCount(), static_cast<int>(view_.report()->probes.size()));
  ASSERT_TRUE(button("bisectGo").isVisible());
  button("bisectGo").click();
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().position(), culprit.after);
}

TEST_F(BisectViewTest, TellsWhenThereIsNothingToFind) {
  find();
  ASSERT_TRUE(view_.report());
  EXPECT_EQ(view_.report()->outcome, debug::BisectOutcome::NoDisagreement);
  EXPECT_TRUE(outcome().contains("nothing to find"));
  EXPECT_FALSE(button("bisectGo").isVisible());
}

TEST_F(BisectViewTest, AProbeLeadsToItsPlace) {
  find();
  ASSERT_GT(probes().topLevelItemCount(), 0);
  document().history().set_step(0);
  emit probes().itemClicked(probes().topLevelItem(0), 0);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().position(), view_.report()->probes[0].position);
}

TEST_F(BisectViewTest, MistakesAreToldBeforeAnythingRuns) {
  place("bisectGood").set_text("no-such-pass");
  EXPECT_FALSE(button("bisectRun").isEnabled());
  EXPECT_TRUE(outcome().contains("✕"));
  place("bisectGood").set_text("last");
  EXPECT_TRUE(outcome().contains("same")) << outcome().toStdString();
  place("bisectGood").set_text("input");
  EXPECT_TRUE(button("bisectRun").isEnabled());
  tolerate("much");
  EXPECT_FALSE(button("bisectRun").isEnabled());
  EXPECT_TRUE(command().isEmpty());
}

TEST_F(BisectViewTest, CanBeStopped) {
  tolerate("0");
  button("bisectRun").click();
  button("bisectStop").click();
  ASSERT_TRUE(settled(document()));
  EXPECT_TRUE(button("bisectRun").isVisible());
  EXPECT_FALSE(view_.report());
  EXPECT_EQ(outcome(), "Stopped.");
}

TEST_F(BisectViewTest, ByTimeIsACommandToo) {
  view_.findChild<QComboBox*>("bisectBy")->setCurrentIndex(1);
  EXPECT_EQ(command(), "loopglassc bisect encoder input last --by time --factor 1.1");
}

}  // namespace
}  // namespace loopglass::views
