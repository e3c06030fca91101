// The card of the chosen edge in the fusion pane: there when an edge is chosen, of that edge,
// leading to the graph, to the steps and to a measurement.
#include "views/fusion/edge_card_view.h"
#include "tests/views/fusion_fixture.h"
#include "views/fusion/edge_card_pane.h"
#include "views/fusion/edge_trial.h"
#include "views/fusion/nest_drawing.h"
#include "views/fusion/path_strip.h"
#include "views/fusion/plan_steps.h"
#include "views/fusion/time_bars.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>

namespace loopglass::views {
namespace {

class EdgeCardTest : public FusionViewTest {
 protected:
  EdgeCardView& card_view() { return *view_.findChild<EdgeCardView*>(); }
  template <class T>
  T* part(const char* name) {
    return view_.findChild<T*>(name);
  }
  // Chooses the row, and waits for its card.
  const fusion::EdgeCard& choose(int row) {
    view_.decision_table()->selectRow(row);
    EXPECT_TRUE(eventually([&] { return card_view().card().has_value(); }));
    return *card_view().card();
  }
  int row_that(bool fused) {
    int row = 0;
    while (decision_at(row).fused != fused) ++row;
    return row;
  }
};

TEST_F(EdgeCardTest, IsThatOfTheChosenEdge) {
  EXPECT_FALSE(view_.findChild<EdgeCardPane*>()->isVisible());
  for (const int row : {2, 5, row_that(true), row_that(false)}) {
    const fusion::EdgeCard& card = choose(row);
    const fusion::Decision& decision = decision_at(row);
    EXPECT_EQ(card.producer, decision.producer);
    EXPECT_EQ(card.consumer, decision.consumer);
    EXPECT_EQ(card.fused, decision.fused);
    EXPECT_TRUE(part<NestDrawing>("cardNests")->isVisibleTo(&view_));
    EXPECT_TRUE(eventually([&] { return part<NestDrawing>("cardNests")->height() > 20; }, 5000));
    EXPECT_EQ(part<QListWidget>("cardSteps")->count(), static_cast<int>(card.steps.events.size()));
    EXPECT_TRUE(part<QLabel>("cardNestsWords")
                    ->text()
                    .contains(QString::fromStdString(card.nests.sentence)));
    EXPECT_FALSE(part<QLabel>("cardBytesWords")->text().isEmpty());
  }
  document().selection().clear();
  EXPECT_FALSE(view_.findChild<EdgeCardPane*>()->isVisible());
}

// As in the corner of a small screen: the card can be read, and arrow keys lead to other edges.
TEST_F(EdgeCardTest, InALowPaneTheCardHasTheRoomOfTheTable) {
  view_.resize(320, 270);
  QTableView& table = *view_.decision_table();
  auto* fold = part<QToolButton>("foldTable");
  deliver_posted();
  EXPECT_FALSE(fold->isVisible());
  const int bar = view_.tabs()->tabBar()->width();
  choose(3);
  deliver_posted();
  EXPECT_GT(bar, view_.tabs()->tabBar()->width()) << "the button has room only while it is there";
  auto* card = view_.findChild<EdgeCardPane*>();
  EXPECT_TRUE(fold->isVisible());
  EXPECT_GE(card->height(), 8 * table.fontMetrics().height());
  EXPECT_TRUE(table.isVisible());
  EXPECT_TRUE(table.viewport()->rect().intersects(table.visualRect(table.currentIndex())));
  table.setFocus();
  QTest::keyClick(&table, Qt::Key_Down);
  deliver_posted();
  EXPECT_EQ(table.currentIndex().row(), 4);
  EXPECT_TRUE(table.viewport()->rect().intersects(table.visualRect(table.currentIndex())));
  fold->click();
  deliver_posted();
  EXPECT_GT(table.height(), 2 * table.rowHeight(0));
  EXPECT_TRUE(part<QLineEdit>("decisionFilter")->isVisible());
  fold->click();
  document().selection().clear();
  deliver_posted();
  EXPECT_FALSE(fold->isVisible());
  EXPECT_GT(table.height(), 2 * table.rowHeight(0)) << "without an edge there is the table alone";
  choose(3);
  view_.resize(900, 900);
  deliver_posted();
  EXPECT_FALSE(fold->isVisible());
  EXPECT_GT(table.height(), 4 * table.rowHeight(0)) << "where there is room, both have some";
}

// Chosen in the graph, it is there as well.
TEST_F(EdgeCardTest, FollowsTheSelection) {
  const fusion::Decision decision = decision_at(4);
  document().selection().select_value(decision.value);
  ASSERT_TRUE(eventually([&] { return card_view().card().has_value(); }));
  EXPECT_EQ(card_view().card()->value, decision.value);
}

// Of several readers of one tensor the one whose edge was clicked.
TEST_F(EdgeCardTest, IsOfTheReaderThatWasChosen) {
  std::vector<fusion::Decision> readers;
  for (const fusion::Decision& decision : document().fusion().plan()->decisions) {
    std::erase_if(readers, [&](const auto& other) {
      return readers.size() < 2 && other.value != decision.value;
    });
    if (readers.empty() || readers.front().value == decision.value) readers.push_back(decision);
  }
  ASSERT_GE(readers.size(), 2u);
  document().selection().select_value(readers.front().value);
  for (const std::size_t reader : {1, 0}) {
    view_.choose_edge({readers[reader].producer, readers[reader].consumer});
    ASSERT_TRUE(eventually([&] { return card_view().card().has_value(); }));
    EXPECT_EQ(card_view().card()->consumer, readers[reader].consumer);
  }
}

TEST_F(EdgeCardTest, WithoutADecisionASentenceSaysWhy) {
  const auto* why = part<QLabel>("noDecision");
  EXPECT_FALSE(why->isVisible());
  document().selection().select_value(document().history().last_graph()->inputs().front());
  EXPECT_TRUE(why->text().contains("comes from outside"));
  document().selection().select_value(document().history().last_graph()->outputs().front());
  EXPECT_TRUE(why->text().contains("No operator reads"));
  choose(3);
  EXPECT_FALSE(why->isVisible());
  view_.findChild<QLineEdit*>("decisionFilter")->setText("op=Softmax & op=MatMul & op=Add");
  EXPECT_TRUE(why->text().contains("The filter leaves out")) << why->text().toStdString();
  EXPECT_FALSE(view_.findChild<EdgeCardPane*>()->isVisible());
}

TEST_F(EdgeCardTest, ShowsThePathInTheGraph) {
  const fusion::EdgeCard card = choose(row_that(true));
  ASSERT_FALSE(card.path.stops.empty());
  QTest::mouseClick(part<PathStrip>("cardPath"), Qt::LeftButton);
  ASSERT_TRUE(document().fusion().moment());
  EXPECT_EQ(document().fusion().moment()->plan->events.front().nodes, card.path.between);
  EXPECT_TRUE(part<QCheckBox>("cardPathInGraph")->isChecked());
  EXPECT_TRUE(view_.decision_table()->currentIndex().isValid()) << "the edge stays chosen";
  choose(row_that(false));
  EXPECT_FALSE(document().fusion().moment());
  EXPECT_FALSE(part<QCheckBox>("cardPathInGraph")->isChecked());
}

TEST_F(EdgeCardTest, AStepLeadsToItsPlace) {
  const fusion::EdgeCard card = choose(row_that(true));
  ASSERT_FALSE(card.steps.events.empty());
  auto* steps = part<QListWidget>("cardSteps");
  steps->setCurrentRow(0);
  QTest::keyClick(steps, Qt::Key_Return);
  EXPECT_EQ(view_.tabs()->currentIndex(), FusionView::Steps);
  auto* told = view_.findChild<PlanSteps*>();
  ASSERT_TRUE(
      eventually([&] { return told->current() == static_cast<int>(card.steps.events.front()); }));
}

TEST_F(EdgeCardTest, ShowsNothingBeforeTheGuess) {
  view_.findChild<QCheckBox*>("guessFirst")->setChecked(true);
  view_.decision_table()->selectRow(2);
  EXPECT_FALSE(card_view().isVisible());
  EXPECT_FALSE(part<QPushButton>("measureEdge")->isVisible());
  view_.findChild<QPushButton*>("guessFused")->click();
  ASSERT_TRUE(eventually([&] { return card_view().card().has_value(); }));
  EXPECT_TRUE(card_view().isVisible());
}

// With other constraints the card is of the new plan.
TEST_F(EdgeCardTest, FollowsThePlan) {
  const int row = row_that(true);
  const fusion::Decision before = decision_at(row);
  choose(row);
  part<QPushButton>("forbidEdge")->click();
  ASSERT_TRUE(eventually([&] { return card_view().card() && !card_view().card()->fused; }));
  EXPECT_EQ(card_view().card()->value, before.value);
  EXPECT_EQ(card_view().card()->nests.handing, fusion::Handing::Memory);
}

class EdgeTrialTest : public testing::Test {
 protected:
  EdgeTrialTest() : opened_("lenet"), view_(&opened_.document) {
    view_.resize(1200, 700);
    view_.show();
    const auto graph = document().history().last_graph();
    edge_ = {graph->find_node("conv1")->id, graph->find_node("relu1")->id};
    view_.show_edge(edge_);
  }
  Document& document() { return opened_.document; }
  QPushButton* button(const char* name) { return view_.findChild<QPushButton*>(name); }
  QString times() { return view_.findChild<QLabel*>("edgeTimes")->text(); }

  Opened opened_;
  FusionView view_;
  fusion::Edge edge_;
};

TEST_F(EdgeTrialTest, OneClickAsksAndMeasures) {
  EXPECT_EQ(button("measureEdge")->text(), "Forbid and Measure");
  button("measureEdge")->setFocus();
  button("measureEdge")->click();
  EXPECT_TRUE(document().constraints().forbidden.contains(edge_));
  ASSERT_TRUE(eventually([&] { return times().contains("medians of"); })) << times().toStdString();
  EXPECT_EQ(view_.focusWidget(), button("measureEdge")) << "and nothing was scrolled to";
  EXPECT_TRUE(times().contains("spread"));
  EXPECT_TRUE(view_.findChild<TimeBars*>()->isVisible());
  EXPECT_TRUE(times().contains("--forbid conv1:relu1 --measure"));
  EXPECT_TRUE(document().constraints().forbidden.contains(edge_));
  EXPECT_EQ(button("measureEdge")->text(), "Measure");
  // Times of this plan say nothing of another one.
  document().leave_all_to_strategy();
  ASSERT_TRUE(settled(document()));
  document().set_strategy("none");
  ASSERT_TRUE(settled(document()));
  EXPECT_FALSE(view_.findChild<QLabel*>("edgeTimes")->isVisible());
}

TEST_F(EdgeTrialTest, IsStopped) {
  button("measureEdge")->click();
  auto* trial = view_.findChild<EdgeTrial*>();
  EXPECT_TRUE(trial->working());
  EXPECT_FALSE(button("measureEdge")->isEnabled());
  button("stopMeasuringEdge")->click();
  EXPECT_FALSE(trial->working());
  EXPECT_EQ(times(), "Stopped.");
  EXPECT_TRUE(button("measureEdge")->isEnabled());
  EXPECT_TRUE(settled(document()));
}

}  // namespace
}  // namespace loopglass::views
