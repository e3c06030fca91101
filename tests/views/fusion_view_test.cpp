// The fusion pane: its two tables, their filter, and the strategy.
#include "tests/views/fusion_fixture.h"
#include "views/fusion/group_model.h"
#include "views/fusion/hand_menu.h"
#include "views/fusion/plan_steps.h"
#include "views/fusion/reason_legend.h"
#include "views/fusion/strategy_table.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/hand_columns.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <algorithm>

namespace loopglass::views {
namespace {

TEST_F(FusionViewTest, ModelsKeepTheRulesOfModels) {
  DecisionModel decisions;
  GroupModel groups;
  const QAbstractItemModelTester decision_tester(&decisions), group_tester(&groups);
  decisions.set_plan(document().fusion().plan(), document().history().last_graph());
  groups.set_plan(document().fusion().plan(), document().history().last_graph());
  EXPECT_EQ(decisions.rowCount(), static_cast<int>(document().fusion().plan()->decisions.size()));
  EXPECT_EQ(groups.rowCount(), static_cast<int>(document().fusion().plan()->groups.size()));
  decisions.set_plan(nullptr, nullptr);
  EXPECT_EQ(decisions.rowCount(), 0);
}

// A row says who, whom, the verdict in words, the code and the sentence.
TEST_F(FusionViewTest, EveryDecisionHasItsRow) {
  ASSERT_EQ(rows().rowCount(), static_cast<int>(document().fusion().plan()->decisions.size()));
  const fusion::Decision& first = decision_at(0);
  EXPECT_EQ(rows().index(0, DecisionModel::Verdict).data().toString(),
            first.fused ? "✓ fused" : "✕ not fused");
  EXPECT_EQ(rows().index(0, DecisionModel::Reason).data().toString().toStdString(),
            fusion::name(first.reason));
  EXPECT_EQ(rows().index(0, DecisionModel::Sentence).data().toString().toStdString(),
            first.sentence);
}

// Of several that carry one tensor, the one that was chosen: the graph shows it, sessions keep it.
TEST_F(FusionViewTest, AChosenDecisionNamesItsEdge) {
  std::vector<graph::NodeId> consumers;
  QObject::connect(&view_, &FusionView::edgeChosen, &view_,
                   [&](graph::ValueId, graph::NodeId consumer) { consumers.push_back(consumer); });
  view_.decision_table()->selectRow(1);
  ASSERT_EQ(consumers.size(), 1u);
  EXPECT_EQ(consumers.front(), decision_at(1).consumer);
}

// Nor is it cut short, however the plan changes.
TEST_F(FusionViewTest, VerdictsHaveTheRoomThatTheyNeed) {
  auto* table = view_.decision_table();
  const int beside = 2 * (table->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1);
  const auto expect_room = [&](const QString& with) {
    bool found = false;
    for (int row = 0; row < table->model()->rowCount(); ++row) {
      const QString words = table->model()->index(row, DecisionModel::Verdict).data().toString();
      found |= words == with;
      EXPECT_LE(table->fontMetrics().horizontalAdvance(words) + beside,
                table->columnWidth(DecisionModel::Verdict))
          << words.toStdString();
    }
    EXPECT_TRUE(found) << with.toStdString();
  };
  expect_room("✕ not fused");
  const auto& decisions = document().fusion().plan()->decisions;
  const auto fused = std::ranges::find_if(decisions, [](auto& each) { return each.fused; });
  document().set_constraints({{}, {{fused->producer, fused->consumer}}});
  ASSERT_TRUE(settled(document()));
  expect_room("✕ not fused, by hand");
}

// An edge that is forbidden and allowed again leaves the table as it was.
TEST_F(FusionViewTest, EqualsKeepTheirPlaces) {
  auto* table = view_.decision_table();
  table->sortByColumn(DecisionModel::Verdict, Qt::DescendingOrder);
  const auto shown = [&] {
    QStringList edges;
    for (int row = 0; row < table->model()->rowCount(); ++row)
      edges += table->model()->index(row, DecisionModel::Producer).data().toString() + " " +
               table->model()->index(row, DecisionModel::Consumer).data().toString();
    return edges;
  };
  const QStringList before = shown();
  const int width = table->columnWidth(DecisionModel::Verdict);
  const auto& decisions = document().fusion().plan()->decisions;
  const auto fused = std::ranges::find_if(decisions, [](auto& each) { return each.fused; });
  document().set_constraints({{}, {{fused->producer, fused->consumer}}});
  ASSERT_TRUE(settled(document()));
  EXPECT_NE(shown(), before);
  EXPECT_GT(table->columnWidth(DecisionModel::Verdict), width);
  document().undo();
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(shown(), before);
  EXPECT_EQ(table->columnWidth(DecisionModel::Verdict), width);
}

TEST_F(FusionViewTest, FiltersByVerdictAndByTheSharedGrammar) {
  view_.findChild<QComboBox*>("verdictBox")->setCurrentIndex(2);  // not fused
  ASSERT_GT(rows().rowCount(), 0);
  for (int row = 0; row < rows().rowCount(); ++row) EXPECT_FALSE(decision_at(row).fused);
  auto* line = view_.findChild<QLineEdit*>("decisionFilter");
  const auto words = [&] { return view_.findChild<QLabel*>("filterWords")->text(); };
  line->setText("op=Softmax");
  EXPECT_TRUE(words().contains("edges whose")) << words().toStdString();
  ASSERT_GT(rows().rowCount(), 0);
  const graph::NodeId softmax = opened_.node("Softmax")->id;
  for (int row = 0; row < rows().rowCount(); ++row)
    EXPECT_TRUE(decision_at(row).producer == softmax || decision_at(row).consumer == softmax);
  const int shown = rows().rowCount();
  line->setText("opp=Softmax");
  EXPECT_TRUE(words().contains("✕"));
  EXPECT_EQ(rows().rowCount(), shown) << "a mistake leaves the table as it was";
}

// The filter means the same here and on the command line.
TEST_F(FusionViewTest, AVerdictAloneIsNoName) {
  auto* line = view_.findChild<QLineEdit*>("decisionFilter");
  EXPECT_TRUE(line->placeholderText().contains("apart"));
  line->setText("fused");
  ASSERT_GT(rows().rowCount(), 0);
  for (int row = 0; row < rows().rowCount(); ++row) EXPECT_TRUE(decision_at(row).fused);
  EXPECT_TRUE(view_.findChild<QLabel*>("filterWords")->text().contains("verdict is fused"));
  view_.findChild<QCheckBox*>("guessFirst")->setChecked(true);
  EXPECT_FALSE(line->placeholderText().contains("apart")) << "who guesses cannot ask for verdicts";
}

// A row is chosen, by a click or an arrow key; to walk past the table with Tab chooses none.
TEST_F(FusionViewTest, ComingToTheTableChoosesNothing) {
  view_.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&view_));
  view_.decision_table()->setFocus();
  EXPECT_TRUE(document().selection().empty());
  QTest::keyClick(view_.decision_table(), Qt::Key_Down);
  EXPECT_FALSE(document().selection().empty());
}

TEST_F(FusionViewTest, TabGoesFromTopToBottom) {
  view_.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&view_));
  view_.decision_table()->selectRow(0);
  QWidget* at = view_.findChild<QComboBox*>("fusionStrategy");
  QWidget* const first = at;
  at->setFocus();
  constexpr int one_row = 12;  // things of different heights beside one another
  int above = 0, visited = 0;
  do {
    const int top = at->mapTo(&view_, QPoint()).y();
    EXPECT_GE(top, above - one_row)
        << at->metaObject()->className() << " " << at->objectName().toStdString();
    above = top;
    QTest::keyClick(at, Qt::Key_Tab);
    at = QApplication::focusWidget();
    ASSERT_TRUE(at);
  } while (at != first && ++visited < 50);
  EXPECT_GT(visited, 7);
  EXPECT_LT(visited, 50);
}

// Force or forbid an edge with the keyboard, and the keyboard is still there, on the same edge.
TEST_F(FusionViewTest, TheKeyboardStaysWhenThePlanChanges) {
  view_.activateWindow();
  ASSERT_TRUE(QTest::qWaitForWindowActive(&view_));
  int row = 0;
  while (!decision_at(row).fused) ++row;
  const fusion::Edge edge{decision_at(row).producer, decision_at(row).consumer};
  view_.decision_table()->selectRow(row);
  auto* forbid = view_.findChild<QPushButton*>("forbidEdge");
  forbid->setFocus();
  QTest::keyClick(forbid, Qt::Key_Space);
  ASSERT_TRUE(settled(document()));
  QCoreApplication::processEvents();
  const fusion::Decision& shown = decision_at(view_.decision_table()->currentIndex().row());
  EXPECT_EQ((fusion::Edge{shown.producer, shown.consumer}), edge);
  const QWidget* focused = QApplication::focusWidget();
  ASSERT_TRUE(focused);
  EXPECT_TRUE(focused->isVisible());
  EXPECT_EQ(focused->parentWidget(), forbid->parentWidget());
}

// What is said of a row takes room of the table, but not that of the row.
TEST_F(FusionViewTest, TheChosenRowStaysInView) {
  auto* table = view_.decision_table();
  deliver_posted();
  const int last = table->rowAt(table->viewport()->height() - 4);
  ASSERT_GT(last, 0);
  table->selectRow(last);
  deliver_posted();
  const QRect row = table->visualRect(table->currentIndex());
  EXPECT_TRUE(table->viewport()->rect().contains(row.topLeft()));
  EXPECT_LE(row.bottom(), table->viewport()->height());
}

TEST_F(FusionViewTest, ARowSelectsItsEdge) {
  view_.decision_table()->selectRow(3);
  const auto* value = std::get_if<SelectedValue>(&document().selection().current());
  ASSERT_TRUE(value);
  EXPECT_EQ(value->value->id, decision_at(3).value);
}

TEST_F(FusionViewTest, AKernelRowSelectsTheGroup) {
  view_.group_table()->selectRow(2);
  EXPECT_EQ(document().selection().primary_group(), fusion::GroupId{2});
}

TEST_F(FusionViewTest, FollowsTheSelectionWithoutMakingOne) {
  const auto add = opened_.node("Add");
  document().selection().select_node(add->id);
  const auto* node = std::get_if<SelectedNode>(&document().selection().current());
  ASSERT_TRUE(node);
  EXPECT_EQ(node->node->id, add->id);
  const QModelIndex current = view_.group_table()->currentIndex();
  EXPECT_EQ(static_cast<std::uint32_t>(current.row()),
            document().fusion().plan()->group_of(add->id).value);
}

// With the strategy that fuses nothing every operator is a kernel of its own.
TEST_F(FusionViewTest, TheStrategyIsAChoice) {
  auto* strategy = view_.findChild<QComboBox*>("fusionStrategy");
  const int none = strategy->findText("none");
  ASSERT_GE(none, 0);
  strategy->setCurrentIndex(none);
  emit strategy->activated(none);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(view_.group_table()->model()->rowCount(),
            static_cast<int>(document().history().last_graph()->nodes().size()));
}

// --- arguing with it ---

TEST_F(FusionViewTest, AForbiddenEdgeComesApartAndCanBeTakenBack) {
  int row = 0;
  while (!decision_at(row).fused) ++row;
  const fusion::Edge edge{decision_at(row).producer, decision_at(row).consumer};
  const auto together = [&] {
    return document().fusion().plan()->group_of(edge.producer) ==
           document().fusion().plan()->group_of(edge.consumer);
  };
  view_.decision_table()->selectRow(row);
  ASSERT_TRUE(together());
  view_.findChild<QPushButton*>("forbidEdge")->click();
  ASSERT_TRUE(settled(document()));
  ASSERT_TRUE(document().fusion().plan());
  EXPECT_FALSE(together());
  EXPECT_TRUE(view_.findChild<CommandBar*>()->command().contains("--forbid"));
  auto* constraints = view_.findChild<QTreeWidget*>("constraints");
  ASSERT_EQ(constraints->topLevelItemCount(), 1);
  constraints->findChild<QToolButton*>()->click();
  ASSERT_TRUE(settled(document()));
  EXPECT_TRUE(document().constraints().empty());
  EXPECT_TRUE(together());
}

// What cannot be is refused with the reason, and the plan stays as it was.
TEST_F(FusionViewTest, WhatCannotBeIsRefused) {
  const std::size_t kernels = document().fusion().plan()->groups.size();
  fusion::Constraints impossible;
  int row = 0;
  while (!decision_at(row).fused) ++row;
  const fusion::Edge edge{decision_at(row).producer, decision_at(row).consumer};
  impossible.forced.insert(edge);
  impossible.forbidden.insert(edge);
  document().set_constraints(impossible);
  ASSERT_TRUE(settled(document()));
  ASSERT_TRUE(document().fusion().plan());
  EXPECT_EQ(document().fusion().plan()->groups.size(), kernels);
  EXPECT_TRUE(document().constraints().empty());
  EXPECT_TRUE(view_.findChild<QLabel*>("planRefusal")->text().contains("✕"));
}

TEST_F(FusionViewTest, TheAnswerShowsOnlyAfterTheGuess) {
  view_.findChild<QCheckBox*>("guessFirst")->setChecked(true);
  EXPECT_EQ(rows().index(2, DecisionModel::Verdict).data().toString(), "? guess");
  EXPECT_TRUE(rows().index(2, DecisionModel::Sentence).data().toString().isEmpty());
  view_.decision_table()->selectRow(2);
  const auto said = [&] { return view_.findChild<QLabel*>("verdictText")->text(); };
  EXPECT_FALSE(said().contains(QString::fromStdString(decision_at(2).sentence).toHtmlEscaped()));
  view_.findChild<QPushButton*>(decision_at(2).fused ? "guessFused" : "guessApart")->click();
  EXPECT_TRUE(said().contains("As you said")) << said().toStdString();
  EXPECT_TRUE(said().contains("1 of 1"));
  EXPECT_NE(rows().index(2, DecisionModel::Verdict).data().toString(), "? guess");
  EXPECT_EQ(rows().index(3, DecisionModel::Verdict).data().toString(), "? guess");
}

// Its kernel would have told the answer.
TEST_F(FusionViewTest, WhatWasChosenWhileGuessingIsShownAfterwards) {
  auto* guessing = view_.findChild<QCheckBox*>("guessFirst");
  const auto kernel_of = [&](int row) {
    return document().fusion().plan()->group_of(decision_at(row).producer);
  };
  view_.decision_table()->selectRow(0);
  ASSERT_TRUE(settled(document()));
  const int other = rows().rowCount() - 1;
  ASSERT_NE(kernel_of(other), document().kernels().group());
  guessing->setChecked(true);
  view_.decision_table()->selectRow(other);
  ASSERT_TRUE(settled(document()));
  EXPECT_NE(document().kernels().group(), kernel_of(other));
  guessing->setChecked(false);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().kernels().group(), kernel_of(other));
}

TEST_F(FusionViewTest, EveryCodeIsExplainedAndLeadsToItsEdges) {
  auto* legend = view_.findChild<ReasonLegend*>();
  ASSERT_EQ(legend->topLevelItemCount(), static_cast<int>(fusion::reason_count));
  QTreeWidgetItem* used = nullptr;
  for (int i = 0; i < legend->topLevelItemCount(); ++i) {
    EXPECT_FALSE(legend->topLevelItem(i)->text(2).isEmpty());
    if (!legend->topLevelItem(i)->text(1).isEmpty()) used = legend->topLevelItem(i);
  }
  ASSERT_TRUE(used);
  emit legend->itemClicked(used, 0);
  EXPECT_EQ(view_.tabs()->currentIndex(), FusionView::Decisions);
  EXPECT_EQ(rows().rowCount(), used->text(1).toInt());
}

TEST_F(FusionViewTest, ThePlanIsToldStepByStep) {
  view_.tabs()->setCurrentIndex(FusionView::Steps);
  auto* steps = view_.findChild<PlanSteps*>();
  ASSERT_TRUE(eventually([&] { return steps->told() != nullptr; }));
  ASSERT_FALSE(steps->told()->events.empty());
  EXPECT_EQ(steps->current(), -1);
  std::size_t event = 0;
  while (steps->told()->events[event].nodes.empty()) ++event;
  for (std::size_t i = 0; i <= event; ++i) view_.findChild<QToolButton*>("planForward")->click();
  EXPECT_EQ(steps->current(), static_cast<int>(event));
  for (const graph::NodeId node : steps->told()->events[event].nodes)
    EXPECT_TRUE(document().selection().highlighted_nodes().contains(node))
        << "the operators in question are lit";
  EXPECT_TRUE(
      view_.findChild<QLabel*>("planSentence")
          ->text()
          .contains(QString::fromStdString(steps->told()->events[event].sentence).toHtmlEscaped()));
  view_.findChild<QToolButton*>("planBack")->click();
  EXPECT_EQ(steps->current(), static_cast<int>(event) - 1);
}

// --- strategies beside one another ---

TEST_F(FusionViewTest, StrategiesStandSideBySide) {
  view_.tabs()->setCurrentIndex(FusionView::Strategies);
  auto* table = view_.findChild<StrategyTable*>();
  ASSERT_TRUE(eventually([&] { return !table->outcomes().empty(); }));
  auto* rows = table->findChild<QTreeWidget*>("planOutcomes");
  QTreeWidgetItem* none = nullptr;
  for (int i = 0; i < rows->topLevelItemCount(); ++i)
    if (rows->topLevelItem(i)->data(0, Qt::UserRole) == "none") none = rows->topLevelItem(i);
  ASSERT_TRUE(none);
  emit rows->itemActivated(none, 0);
  ASSERT_TRUE(settled(document()));
  EXPECT_EQ(document().strategy(), "none");
}

// Any two of them: where they part, in the graph too, and the command that prints the same.
TEST_F(FusionViewTest, TwoStrategiesAreCompared) {
  view_.tabs()->setCurrentIndex(FusionView::Strategies);
  auto* table = view_.findChild<StrategyTable*>();
  ASSERT_TRUE(eventually([&] { return !table->outcomes().empty(); }));
  const auto place = [&](const char* title) {
    for (std::size_t i = 0; i < table->variants().size(); ++i)
      if (table->variants()[i].title == title) return i;
    return table->variants().size();
  };
  table->choose(place("none"), place("dominator"));
  EXPECT_TRUE(view_.findChild<CommandBar*>()->command().contains("--compare none,dominator"));
  const auto* tree = table->findChild<QTreeWidget*>("planDifference");
  ASSERT_GT(tree->topLevelItemCount(), 0);
  const auto fused =
      std::ranges::count_if(document().fusion().plan()->decisions, [](auto& d) { return d.fused; });
  EXPECT_EQ(tree->topLevelItem(0)->childCount(), fused) << "one fuses nothing";
  EXPECT_TRUE(table->findChild<QLabel*>("differenceWords")->text().contains("fewer"));
  auto* in_graph = table->findChild<QCheckBox*>("showInGraph");
  in_graph->setChecked(true);
  ASSERT_TRUE(document().fusion().compared());
  EXPECT_EQ(document().fusion().compared()->first_name, "none");
  EXPECT_EQ(document().fusion().compared()->second->groups.size(),
            document().fusion().plan()->groups.size());
  in_graph->setChecked(false);
  EXPECT_FALSE(document().fusion().compared());
}

TEST_F(FusionViewTest, ColumnsFollowTheSizeOfText) {
  const auto* table = view_.findChild<QTableView*>("decisions");
  ASSERT_TRUE(table);
  const double before = text_scale();
  for (const double scale : {1.6, 1.0}) {
    set_text_scale(scale);
    QCoreApplication::processEvents();
    for (int column = 0; column + 1 < table->model()->columnCount(); ++column) {
      if (column == DecisionModel::Producer || column == DecisionModel::Consumer ||
          column == DecisionModel::Reason)
        continue;
      const QString text = table->model()->index(0, column).data().toString();
      EXPECT_GT(table->columnWidth(column), table->fontMetrics().horizontalAdvance(text))
          << text.toStdString() << " at " << scale;
    }
  }
  set_text_scale(before);
}

// A press on a tab, at which its table takes its columns' widths, is no hand on an edge of them.
TEST_F(FusionViewTest, ColumnsAreByHandWhereAnEdgeWasDragged) {
  auto* table = view_.findChild<QTableView*>("groups");
  auto* tabs = view_.findChild<QTabWidget*>();
  ASSERT_TRUE(table && tabs);
  QHeaderView& header = *table->horizontalHeader();
  watch_columns(header);
  QTest::mouseClick(tabs->tabBar(), Qt::LeftButton, {}, tabs->tabBar()->tabRect(1).center());
  ASSERT_TRUE(table->isVisible());
  for (int column = 0; column < header.count(); ++column)
    EXPECT_FALSE(is_by_hand(header, column)) << column;
  // Names have the colours of their kernels before them.
  const QString longest = table->model()->index(0, GroupModel::Name).data().toString();
  EXPECT_GT(table->columnWidth(GroupModel::Name),
            table->fontMetrics().horizontalAdvance(longest) +
                table->style()->pixelMetric(QStyle::PM_SmallIconSize));
  const QPoint edge(header.sectionViewportPosition(GroupModel::Operators) - 1, header.height() / 2);
  QTest::mousePress(header.viewport(), Qt::LeftButton, {}, edge);
  QTest::mouseMove(header.viewport(), edge + QPoint(40, 0));
  QTest::mouseRelease(header.viewport(), Qt::LeftButton, {}, edge + QPoint(40, 0));
  EXPECT_TRUE(is_by_hand(header, GroupModel::Name));
  EXPECT_FALSE(is_by_hand(header, GroupModel::Operators));
}

// --- guessing ---

TEST_F(FusionViewTest, FitsADockOfASmallScreen) { EXPECT_LE(view_.minimumSizeHint().width(), 480); }

// Nothing gives the answer away: not the numbers, not the other tabs, not a filter or an order.
TEST_F(FusionViewTest, NothingTellsBeforeTheGuess) {
  view_.findChild<QCheckBox*>("guessFirst")->setChecked(true);
  EXPECT_TRUE(document().fusion().is_guessing());
  EXPECT_FALSE(view_.findChild<QLabel*>("planSummary")->text().contains("kernel"));
  for (const auto tab : {FusionView::Kernels, FusionView::NearMisses, FusionView::ByHand,
                         FusionView::Steps, FusionView::Strategies})
    EXPECT_FALSE(view_.tabs()->isTabVisible(tab));
  const int all = rows().rowCount();
  view_.findChild<QLineEdit*>("decisionFilter")->setText("reason=FUSED");
  EXPECT_EQ(rows().rowCount(), all);
  EXPECT_TRUE(view_.findChild<QLabel*>("filterWords")->text().contains("✕"));
  EXPECT_TRUE(rows().index(0, DecisionModel::Saved).data().toString().isEmpty());
  QMenu menu;
  fill_edge_menu(menu, document(), {decision_at(0)});
  EXPECT_TRUE(menu.isEmpty());
  const auto* legend = view_.findChild<ReasonLegend*>();
  for (int i = 0; i < legend->topLevelItemCount(); ++i)
    EXPECT_TRUE(legend->topLevelItem(i)->text(1).isEmpty());
}

// The answer is about the edge, whatever kernels its reason names.
TEST_F(FusionViewTest, TheAnswerNamesBothEnds) {
  view_.findChild<QCheckBox*>("guessFirst")->setChecked(true);
  view_.decision_table()->selectRow(0);
  const fusion::Decision decision = decision_at(0);
  view_.findChild<QPushButton*>("guessFused")->click();
  const auto graph = document().history().last_graph();
  const QString said = view_.findChild<QLabel*>("verdictText")->text();
  const QString ends = QString("%1 and %2 %3")
                           .arg(QString::fromStdString(graph->node(decision.producer).name),
                                QString::fromStdString(graph->node(decision.consumer).name),
                                decision.fused ? "share a kernel." : "are in two kernels.");
  EXPECT_TRUE(said.contains(ends)) << said.toStdString();
}

}  // namespace
}  // namespace loopglass::views
