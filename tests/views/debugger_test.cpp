// Breakpoints, differences, a node's history and search by filter: as a person uses them.
#include "views/document/debugger.h"

#include "core/machine/instruction_level.h"
#include "tests/views/opened.h"
#include "views/breakpoints/breakpoints_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/diff/diff_view.h"
#include "views/document/command_line.h"
#include "views/graph/graph_view.h"
#include "views/inspector/describe.h"
#include "views/text.h"
#include "views/timeline/timeline_model.h"
#include "views/timeline/timeline_view.h"

#include <QApplication>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class DebuggerTest : public testing::Test {
 protected:
  Document& document() { return opened_.document; }
  Debugger& debugger() { return document().debugger(); }
  std::size_t folding() {
    const auto& steps = document().history().recorded()->steps;
    std::size_t step = 0;
    while (steps[step].pass.name != "fold-batch-norm") ++step;
    return step;
  }
  graph::NodePtr imported(std::string_view op) {
    for (const auto& node : document().history().recorded()->at(0).nodes())
      if (node->op->name == op) return node;
    return nullptr;
  }
  Opened opened_{"resnet50", folding_pipeline};
};

class BreakpointsViewTest : public DebuggerTest {
 protected:
  BreakpointsViewTest() : view_(&document()) {
    view_.resize(420, 600);
    view_.show();
  }
  QLineEdit& line() { return *view_.findChild<QLineEdit*>("breakpointLine"); }
  QString words() { return view_.findChild<QLabel*>("breakpointWords")->text(); }
  QTreeWidget& list() { return *view_.findChild<QTreeWidget*>("breakpointList"); }
  void type(const char* text) {
    line().setText(text);
    QTest::keyClick(&line(), Qt::Key_Return);
    ASSERT_TRUE(settled(document()));
  }
  BreakpointsView view_;
};

TEST_F(BreakpointsViewTest, ExplainsInWordsAsOneTypesAndTellsMistakes) {
  line().setText("remove op=BatchNormalization");
  EXPECT_TRUE(words().contains("removes")) << words().toStdString();
  EXPECT_TRUE(words().contains("BatchNormalization"));
  line().setText("remove opp=Conv");
  EXPECT_TRUE(words().contains("✕"));
  QTest::keyClick(&line(), Qt::Key_Return);
  EXPECT_TRUE(debugger().breakpoints().empty()) << "a mistake is no breakpoint";
}

TEST_F(BreakpointsViewTest, RunsFromStopToStop) {
  type("remove op=BatchNormalization");
  ASSERT_EQ(debugger().breakpoints().size(), 1u);
  ASSERT_EQ(debugger().stops().size(),
            document().history().recorded()->steps[folding()].rewrites.size());
  document().history().set_step(0);
  debugger().run(pass::Direction::Forward);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().position(), (pass::Position{folding(), 1}));
  debugger().run(pass::Direction::Forward);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().position(), (pass::Position{folding(), 2}));
  debugger().run(pass::Direction::Backward);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().position(), (pass::Position{folding(), 1}));
  debugger().run(pass::Direction::Backward);
  EXPECT_EQ(document().history().position(), pass::Position{0}) << "without a stop, to the start";
}

// Running to the end would look as if something had been waited for.
TEST_F(BreakpointsViewTest, WithoutABreakpointThereIsNothingToRunTo) {
  document().history().set_step(1);
  ASSERT_TRUE(settled(document()));
  int told = 0;
  QObject::connect(&debugger(), &Debugger::nothingToStopAt, &debugger(), [&] { ++told; });
  debugger().run(pass::Direction::Forward);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().history().position(), pass::Position{1});
  EXPECT_EQ(told, 1);
  type("remove op=BatchNormalization");
  debugger().set_enabled(0, false);
  EXPECT_FALSE(debugger().can_stop());
}

TEST_F(BreakpointsViewTest, ATickAndDeleteSwitchBreakpointsOffAndRemoveThem) {
  type("any op=Conv");
  type("remove op=BatchNormalization");
  ASSERT_EQ(list().topLevelItemCount(), 2);
  list().topLevelItem(0)->setCheckState(0, Qt::Unchecked);
  list().topLevelItem(1)->setCheckState(0, Qt::Unchecked);
  ASSERT_TRUE(settled(document()));
  EXPECT_TRUE(debugger().stops().empty());
  list().setCurrentItem(list().topLevelItem(1));
  QTest::keyClick(&list(), Qt::Key_Delete);
  ASSERT_EQ(debugger().breakpoints().size(), 1u);
  EXPECT_EQ(to_text(debugger().breakpoints()[0]), "any op=Conv");
}

TEST_F(BreakpointsViewTest, TheSameBreakpointIsNotTakenTwice) {
  type("any op=Conv");
  type("any op=Conv");
  EXPECT_EQ(debugger().breakpoints().size(), 1u);
  EXPECT_TRUE(words().contains("✕"));
}

TEST_F(BreakpointsViewTest, ButtonsInANarrowPaneAreWholeOrInAMenu) {
  view_.resize(250, 600);
  QApplication::processEvents();
  QStringList whole;
  for (const QToolButton* button : view_.findChildren<QToolButton*>()) {
    if (!button->isVisible()) continue;
    EXPECT_GE(button->width(), button->minimumSizeHint().width()) << button->text().toStdString();
    whole << button->text();
  }
  EXPECT_TRUE(whole.contains("To next stop ▶"));
  EXPECT_FALSE(whole.contains("Remove"));
}

// A watchpoint set from the graph stops where the node goes, and the timeline marks the place.
TEST_F(DebuggerTest, AWatchpointStopsWhereItsNodeGoes) {
  TimelineView timeline(&document());
  pass::Breakpoint watch;
  watch.event = pass::BreakEvent::Remove;
  watch.node = imported("BatchNormalization")->name;
  ASSERT_TRUE(debugger().add(watch));
  ASSERT_TRUE(settled(document()));
  // It follows the node into what it became, which may be removed later in its turn.
  ASSERT_FALSE(debugger().stops().empty());
  EXPECT_EQ(debugger().stops()[0].position.step, folding());
  const QModelIndex row = timeline.model()->index_of_step(folding());
  EXPECT_TRUE(row.data().toString().startsWith("●")) << row.data().toString().toStdString();
}

TEST_F(DebuggerTest, TheTimelineTellsWhatBecomesOfTheSelectedNode) {
  TimelineView timeline(&document());
  ASSERT_TRUE(settled(document()));
  document().selection().select_node(imported("BatchNormalization")->id);
  const TimelineModel& model = *timeline.model();
  EXPECT_EQ(model.presence(0), pass::Presence::Created);
  EXPECT_EQ(model.presence(1), pass::Presence::Unchanged);
  EXPECT_EQ(model.presence(folding()), pass::Presence::Removed);
  EXPECT_EQ(model.presence(folding() + 1), pass::Presence::Absent);
  EXPECT_TRUE(model.index_of_step(folding()).data().toString().startsWith("−"));
}

TEST_F(DebuggerTest, TheInspectorTellsWhereANodeComesFromAndWhatItBecame) {
  document().history().set_step(folding());
  ASSERT_TRUE(settled(document()));
  const auto conv = opened_.node("Conv");
  ASSERT_TRUE(conv);
  document().selection().select_node(conv->id);
  const QString html = describe_selection(document());
  EXPECT_TRUE(html.contains("born"));
  const auto& rule = document().history().recorded()->steps[folding()].rewrites.front().rule;
  EXPECT_TRUE(html.contains(QString::fromStdString(rule)));
  EXPECT_TRUE(html.contains(QString("node:%1").arg(imported("BatchNormalization")->id.value)));
  EXPECT_TRUE(html.contains(QString("place:%1:1").arg(folding())));
}

// What is shown in its place is named as what it is.
TEST_F(DebuggerTest, TheInspectorSaysWhatStandsInForANode) {
  const auto said_of = [&](graph::NodeId node) {
    document().selection().select_node(node);
    EXPECT_TRUE(settled(document()));
    return describe_selection(document());
  };
  const graph::NodeId gone = imported("BatchNormalization")->id;
  document().history().set_step(folding());
  ASSERT_TRUE(settled(document()));
  const QString later = said_of(gone);
  EXPECT_TRUE(later.contains("Not at this step any more. Shown instead")) << later.toStdString();
  EXPECT_TRUE(later.contains("its heir")) << later.toStdString();
  EXPECT_FALSE(later.contains("does not exist"));
  const graph::NodePtr conv = opened_.node("Conv");
  const graph::NodeId made = conv->id;
  document().history().set_step(0);
  ASSERT_TRUE(settled(document()));
  if (document().history().graph()->find(made)) return;  // folded in place
  const QString earlier = said_of(made);
  EXPECT_TRUE(earlier.contains("Not at this step yet. Shown instead")) << earlier.toStdString();
  EXPECT_TRUE(earlier.contains("its ancestor")) << earlier.toStdString();
  document().selection().select_value(conv->outputs.front());
  EXPECT_FALSE(describe_selection(document()).contains("does not exist"));
}

TEST_F(DebuggerTest, TheDifferenceIsCountedListedAndPrinted) {
  DiffView view(&document());
  view.show();
  document().history().set_step(folding());
  ASSERT_TRUE(settled(document()));
  ASSERT_TRUE(view.comparison());
  const auto& rewrites = document().history().recorded()->steps[folding()].rewrites;
  EXPECT_EQ(view.comparison()->diff.count(graph::Change::Added), rewrites.size());
  EXPECT_EQ(view.comparison()->diff.count(graph::Change::Removed), 2 * rewrites.size());
  const auto* counts = view.findChild<QTableView*>("diffCounts")->model();
  QString lost;
  for (int row = 0; row < counts->rowCount(); ++row)
    if (counts->index(row, CountModel::Name).data().toString() == "BatchNormalization")
      lost = counts->index(row, CountModel::Delta).data().toString();
  EXPECT_EQ(lost, QString("−%1").arg(rewrites.size()));
  EXPECT_TRUE(
      view.findChild<QPlainTextEdit*>("diffText")->toPlainText().contains("BatchNormalization"));

  auto* nodes = view.findChild<QTableView*>("diffNodes");
  emit nodes->clicked(nodes->model()->index(0, 0));
  EXPECT_TRUE(std::holds_alternative<SelectedNode>(document().selection().current()));

  document().history().pin_base(document().history().position());
  ASSERT_TRUE(settled(document()));
  EXPECT_TRUE(view.comparison()->diff.empty());
}

TEST_F(DebuggerTest, SearchReadsFilters) {
  GraphView view(&document());
  view.show();
  ASSERT_TRUE(settled(document()));
  view.find();
  auto* line = view.findChild<QLineEdit*>("findLine");
  auto* meaning = view.findChild<QLabel*>("searchMeaning");
  line->setText("op=MaxPool");
  EXPECT_FALSE(meaning->text().contains("✕")) << meaning->text().toStdString();
  QTest::keyClick(line, Qt::Key_Return);
  const auto* selected = std::get_if<SelectedNode>(&document().selection().current());
  ASSERT_TRUE(selected);
  EXPECT_EQ(selected->node->op->name, "MaxPool");
  line->setText("op=");
  EXPECT_TRUE(meaning->text().contains("✕"));
}

// A search can be kept: what it finds is marked at every step, by the rule's number.
TEST_F(DebuggerTest, ASearchCanBeKeptAsAMark) {
  GraphView view(&document());
  view.show();
  ASSERT_TRUE(settled(document()));
  view.find();
  view.findChild<QLineEdit*>("findLine")->setText("op=MaxPool");
  QMenu* menu = view.findChild<QToolButton*>("markButton")->menu();
  emit menu->aboutToShow();
  menu->actions().front()->trigger();
  ASSERT_TRUE(settled(document()));
  const auto marked = [&] {
    int count = 0;
    for (const CanvasNode& node : view.canvas()->content().nodes) {
      count += node.mark == 1;
      EXPECT_TRUE(node.mark == 0 || node.title == "MaxPool");
    }
    return count;
  };
  EXPECT_EQ(marked(), 1);
  document().history().set_step(0);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(marked(), 1);
}

TEST_F(DebuggerTest, WhatIsShownHasACommand) {
  const QString passes = QString(" --passes '%1'").arg(folding_pipeline);
  EXPECT_EQ(passes_command(document()), "loopglassc passes resnet50" + passes);
  document().history().set_position({folding(), 2});
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(place_command(document()),
            "loopglassc emit graph resnet50 --stop-after fold-batch-norm:2" + passes);
  document().history().pin_base(pass::Position{0});
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(place_command(document()),
            QString("loopglassc diff resnet50 0 %1:2").arg(folding()) + passes);
  document().history().pin_base(std::nullopt);
  document().history().set_step(0);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(place_command(document()), "loopglassc emit graph resnet50 --step 0" + passes);
  document().history().set_step(document().history().recorded()->steps.size() - 1);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(place_command(document()), "loopglassc emit graph resnet50" + passes);
}

TEST_F(DebuggerTest, CommandsAreHeldToWhatTheWindowIsHeldTo) {
  if (instruction_levels().empty()) GTEST_SKIP() << "no processor with such levels";
  const QString target = " --target " + text(instruction_levels().front().name);
  ASSERT_TRUE(hold_to_level(std::string(instruction_levels().front().name)));
  const QStringList commands{passes_command(document()), place_command(document()),
                             fuse_command(document()),
                             difference_command(document(), pass::Position{0})};
  ::unsetenv("LOOPGLASS_TARGET");
  for (const QString& command : commands)
    EXPECT_EQ(command.count(target), 1) << qPrintable(command);
  EXPECT_FALSE(passes_command(document()).contains("--target"));
}

}  // namespace
}  // namespace loopglass::views
