// The second canvas beside the graph: what it shows, in which colours and columns, and when it
// goes.
#include "tests/views/beside_fixture.h"
#include "views/canvas/overlay_legend.h"
#include "views/document/debugger.h"
#include "views/graph/heat.h"
#include "views/theme.h"

#include <QMenu>
#include <QPushButton>
#include <QToolButton>

namespace loopglass::views {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What costs the same has the same colour on both, whichever of them has the greatest box.
TEST_F(BesideTest, HasTheColoursOfTheFirstUnderOneScale) {
  GraphView::Switches switches = view_.switches();
  switches.colors = "bytes";
  switches.beside = {BesideKind::Step, "0"};
  view_.set_switches(switches);
  wait();
  const auto &here = first().overlay().heats, &there = second().overlay().heats;
  ASSERT_FALSE(here.empty());
  ASSERT_FALSE(there.empty());
  const double greatest = std::max(view_.greatest_heat(), beside().greatest_heat());
  int compared = 0;
  for (const auto& [box, heat] : there)
    for (const auto& [other, same] : here)
      if (heat.word == same.word && !heat.word.isEmpty()) {
        EXPECT_EQ(heat.color, same.color) << heat.word.toStdString();
        ++compared;
      }
  EXPECT_GT(compared, 10);
  const auto* legend = view_.findChild<OverlayLegend*>("overlayLegend");
  EXPECT_EQ(legend->rows().front().text, scale_text(Measure::Bytes, greatest, 1));
  EXPECT_EQ(legend->rows().front().mark.color, theme().heat(1));
  QMenu* menu = view_.findChild<QToolButton*>("colorButton")->menu();
  emit menu->aboutToShow();
  menu->actions().front()->trigger();
  wait();
  EXPECT_TRUE(second().overlay().heats.empty());
}

// Another strategy's kernels are others, and take their own time and memory.
TEST_F(BesideTest, MeasuresAnotherPlanForItself) {
  document().benchmark().start(1, 2);
  wait();
  GraphView::Switches switches = view_.switches();
  switches.colors = "time";
  switches.beside = {BesideKind::Strategy, "none"};
  view_.set_switches(switches);
  wait();
  ASSERT_NE(beside().place()->plan, document().fusion().plan());
  const auto& heats = second().overlay().heats;
  ASSERT_FALSE(heats.empty());
  std::size_t told = 0;
  for (const auto& [box, heat] : heats) told += !heat.word.isEmpty();
  std::size_t kernels = 0;
  for (const fusion::Group& group : beside().place()->plan->groups)
    kernels += heats.contains(box_there(group.anchor));
  EXPECT_EQ(told, kernels) << "a number for every kernel there";
  EXPECT_GT(told, first().overlay().heats.size() / 2);
  switches.colors = "memory";
  view_.set_switches(switches);
  wait();
  EXPECT_FALSE(second().overlay().heats.empty());
}

TEST_F(BesideTest, ShowsAnotherStepAndCloses) {
  EXPECT_FALSE(beside().isVisible());
  show({BesideKind::Step, "input"});
  EXPECT_TRUE(beside().isVisible());
  EXPECT_EQ(second().content().nodes.size(), boxes_of(imported()));
  EXPECT_THAT(label("besideTitle"), StartsWith("step 0 (input), against step "));
  EXPECT_GT(second().width(), view_.width() / 3);
  EXPECT_GT(first().width(), view_.width() / 3);
  emit beside().findChild<QToolButton*>("besideClose")->clicked();
  wait();
  EXPECT_FALSE(beside().isVisible());
  EXPECT_GT(first().width(), view_.width() * 0.9);
  EXPECT_EQ(view_.switches().beside, SavedBeside{});
  // The key brings back what was there.
  beside().toggle();
  wait();
  EXPECT_EQ(beside().shown(), (SavedBeside{BesideKind::Step, "input"}));
}

// The key that is pressed while a model opens is not lost; pressed again, it is taken back.
TEST_F(BesideTest, OpensWithTheModelThatIsOnItsWay) {
  const auto open_again = [&](int times) {
    document().close();
    document().open(sample_source("resnet50"));
    ASSERT_FALSE(document().model());
    for (int i = 0; i < times; ++i) beside().toggle();
    EXPECT_FALSE(beside().is_open());
    wait();
  };
  open_again(2);
  EXPECT_FALSE(beside().is_open());
  open_again(1);
  EXPECT_EQ(beside().shown(), beside_at_first(document()));
  EXPECT_TRUE(beside().isVisible());
  // Of a model that is there already, too, whose graph passes run, or have just ended.
  document().close();
  document().open(sample_source("yolov4"));
  ASSERT_TRUE(eventually([&] { return document().model() != nullptr; }));
  beside().toggle();
  wait();
  EXPECT_TRUE(beside().is_open());
  // One that was given up leaves nothing behind.
  document().close();
  document().open(sample_source("resnet50"));
  beside().toggle();
  document().close();
  document().open(sample_source("lenet"));
  wait();
  EXPECT_FALSE(beside().is_open());
}

TEST_F(BesideTest, NarrowPanesHaveItBelow) {
  show({BesideKind::Step, "input"});
  EXPECT_GT(second().mapTo(&view_, QPoint()).x(), first().mapTo(&view_, QPoint()).x());
  view_.resize(400, 700);
  wait();
  EXPECT_GT(second().mapTo(&view_, QPoint()).y(), first().mapTo(&view_, QPoint()).y());
}

TEST_F(BesideTest, TheMenuHasWhatThereIs) {
  QMenu menu;
  view_.fill_beside_menu(menu);
  QStringList words;
  for (const QAction* action : menu.actions())
    if (action->menu())
      for (const QAction* inner : action->menu()->actions()) words << inner->text();
    else words << action->text().remove('&');
  EXPECT_TRUE(words.contains("step 2 (fold-batch-norm)")) << words.join("\n").toStdString();
  EXPECT_TRUE(words.contains("mapping"));
  EXPECT_FALSE(words.contains("manual")) << "nothing is done by hand";
  EXPECT_TRUE(words.contains("The Step Before This"));
}

// Its kernels make it another drawing, folded boxes yet another one: whatever is drawn, a network
// that comes in columns has the same operators in the same ones.
TEST_F(BesideTest, ColumnsAreTheSameInBoth) {
  const auto expect_same = [&] {
    const layout::Layout& here = *first().current_layout();
    const layout::Layout& there = *second().current_layout();
    ASSERT_GT(*std::ranges::max_element(here.column_of), 0u);
    ASSERT_EQ(there.column_of.size(), second().content().nodes.size());
    for (const auto& node : last().nodes())
      EXPECT_EQ(here.column_of[box_here(node->id)], there.column_of[box_there(node->id)])
          << node->name;
  };
  show({BesideKind::Strategy, "none"});
  expect_same();
  GraphView::Switches switches = view_.switches();
  switches.folds.compact = true;
  view_.set_switches(switches);
  wait();
  expect_same();
}

TEST_F(BesideTest, InOtherColumnsItLooksAtWhatItLookedAt) {
  show({BesideKind::Strategy, "none", false});
  const auto columns = second().current_layout()->column_of;
  second().look_at(second().place_of_node(box_there(last().nodes().back()->id)), 1.5);
  const auto before = beside().saved().camera;
  GraphView::Switches switches = view_.switches();
  switches.folds.page_width = 2200;
  switches.folds.page_height = 300;
  view_.set_switches(switches);
  wait();
  ASSERT_NE(second().current_layout()->column_of, columns);
  const auto after = beside().saved().camera;
  ASSERT_TRUE(before && after);
  EXPECT_EQ(after->box, before->box);
  EXPECT_NEAR(after->right, before->right, 1);
  EXPECT_NEAR(after->down, before->down, 1);
}

// The next start has a pane of another size, or has not got it yet.
TEST_F(BesideTest, ColumnsAreKeptWithTheFolds) {
  const auto columns = first().current_layout()->column_of;
  ASSERT_FALSE(columns.empty());
  GraphView again(&document());
  again.resize(2600, 260);
  again.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&again));
  wait();
  EXPECT_NE(again.canvas()->current_layout()->column_of, columns);
  again.set_switches(view_.switches());
  wait();
  EXPECT_EQ(again.canvas()->current_layout()->column_of, columns);
  // And with the second canvas open they are those of half the pane, as they were.
  show({BesideKind::Step, "input"});
  const auto of_half = first().current_layout()->column_of;
  EXPECT_NE(of_half, columns);
  again.set_switches(view_.switches());
  wait();
  EXPECT_EQ(again.canvas()->current_layout()->column_of, of_half);
}

// Two equal graphs tell nothing: behind passes that changed nothing stands the graph before the
// last one that did.
TEST_F(BesideTest, BeginsWithAGraphThatIsAnother) {
  const auto history = document().history().recorded();
  std::size_t idle = 0;
  for (std::size_t step = 0; step < history->steps.size(); ++step) {
    document().history().set_step(step);
    wait();
    const SavedBeside at_first = beside_at_first(document());
    show(at_first);
    ASSERT_TRUE(beside().place());
    EXPECT_NE(beside().place()->graph, document().history().graph()) << step;
    EXPECT_THAT(label("besideTitle"),
                EndsWith(", against " + pass::describe(document().history().position(), *history)));
    if (beside().place()->position.step + 1 < step) {
      ++idle;
      EXPECT_EQ(at_first.kind, BesideKind::Step);
      EXPECT_FALSE(history->steps[step].changed);
      EXPECT_TRUE(history->steps[beside().place()->position.step + 1].changed);
    }
  }
  EXPECT_GT(idle, 0u);
}

TEST_F(BesideTest, TheStepBeforeFollowsTheSteps) {
  show({BesideKind::StepBefore});
  EXPECT_EQ(beside().place()->position.step, document().history().step() - 1);
  document().history().set_step(1);
  wait();
  EXPECT_EQ(beside().place()->position.step, 0u);
  EXPECT_EQ(second().content().nodes.size(), boxes_of(imported()));
  document().history().set_step(0);
  wait();
  EXPECT_FALSE(second().isVisible());
  EXPECT_THAT(label("workText"), HasSubstr("nothing is before it"));
  document().history().set_step(2);
  wait();
  EXPECT_EQ(beside().place()->position.step, 1u);
  EXPECT_TRUE(second().isVisible());
}

TEST_F(BesideTest, ThePlaceThatItIsComparedWithMayBeInsideAStep) {
  std::size_t step = 0;
  while (document().history().recorded()->steps[step].rewrites.size() < 2) ++step;
  document().history().pin_base(pass::Position{step, 1});
  wait();
  show({BesideKind::Compared});
  EXPECT_EQ(beside().place()->graph, document().history().base_graph());
  show({BesideKind::Step, document().history().recorded()->steps[step].pass.name + ":1"});
  EXPECT_EQ(beside().place()->graph->nodes().size(),
            document().history().base_graph()->nodes().size());
}

TEST_F(BesideTest, AnotherStrategyHasItsOwnKernelsAndVerdicts) {
  ASSERT_FALSE(first().content().clusters.empty());
  show({BesideKind::Strategy, "none"});
  EXPECT_EQ(label("besideTitle"), "strategy none");
  EXPECT_TRUE(second().content().clusters.empty());
  EXPECT_EQ(second().content().nodes.size(), first().content().nodes.size());
  EXPECT_THAT(label("besideStatus"), HasSubstr("decided otherwise than by dominator"));
  EXPECT_TRUE(std::ranges::any_of(
      second().overlay().edges, [](const EdgeMark& mark) { return mark.code == "STRATEGY_NONE"; }));
  show({BesideKind::Strategy, "mapping"});
  EXPECT_FALSE(second().content().clusters.empty());
  // A kernel of the other plan lights its operators here.
  emit second().clusterClicked(0);
  const auto& kernel = beside().place()->plan->group(beside().content().groups[0]);
  EXPECT_THAT(selection().highlighted_nodes(), ::testing::UnorderedElementsAreArray(kernel.nodes));
  // Its verdicts are not told while somebody guesses.
  document().fusion().set_guessing(true);
  wait();
  EXPECT_TRUE(second().content().clusters.empty());
  EXPECT_TRUE(second().overlay().edges.empty());
}

TEST_F(BesideTest, OtherPassesAreRunForIt) {
  show({BesideKind::Passes, "none"});
  EXPECT_EQ(label("besideTitle"), "passes none");
  EXPECT_EQ(second().content().nodes.size(), boxes_of(imported()));
  const graph::Node& norm = node(*beside().place()->graph, "BatchNormalization");
  const std::string name = norm.name;
  emit second().nodeClicked(box_there(norm.id));
  EXPECT_EQ(second().highlight().primary, box_there(norm.id));
  EXPECT_THAT(label("besideStatus"), HasSubstr(name + " is not in step"));
  const graph::Node& folded = node(last(), "Conv");
  EXPECT_EQ(std::get<SelectedNode>(selection().current()).node->id, folded.id);
  show({BesideKind::Passes, "no-such-pass"});
  EXPECT_THAT(label("workText"), HasSubstr("no-such-pass"));
}

TEST_F(BesideTest, SaysWhyThereIsNothing) {
  show({BesideKind::Strategy, "no-such-strategy"});
  EXPECT_FALSE(second().isVisible());
  EXPECT_THAT(label("workText"), HasSubstr("no-such-strategy"));
  // A step of other passes is gone with them, and there again with them.
  show({BesideKind::Step, "fold-batch-norm"});
  EXPECT_TRUE(second().isVisible());
  ASSERT_TRUE(document().set_pipeline("none"));
  wait();
  EXPECT_FALSE(second().isVisible());
  EXPECT_THAT(label("workText"), HasSubstr("fold-batch-norm"));
  ASSERT_TRUE(document().set_pipeline(folding_pipeline));
  wait();
  EXPECT_TRUE(second().isVisible());
  EXPECT_EQ(beside().shown().what, "fold-batch-norm");
}

TEST_F(BesideTest, FoldsAsTheFirstDoes) {
  show({BesideKind::Step, "input"});
  GraphView::Switches switches = view_.switches();
  switches.folds.by = "blocks";
  switches.folds.asked = true;
  view_.set_switches(switches);
  wait();
  EXPECT_LT(second().content().nodes.size(), boxes_of(imported()));
  for (const auto& node : imported().nodes())
    EXPECT_TRUE(beside().content().box_of_node.contains(node->id));
  selection().select_node(shared());
  EXPECT_EQ(second().highlight().primary, box_there(shared()));
  // What is opened there opens here.
  const std::size_t before = first().content().nodes.size();
  for (std::uint32_t box = 0; box < second().content().nodes.size(); ++box)
    if (second().content().nodes[box].stack) {
      emit second().nodeActivated(box);
      break;
    }
  wait();
  EXPECT_NE(first().content().nodes.size(), before);
  switches.folds.by = "";
  view_.set_switches(switches);
  wait();
  EXPECT_EQ(second().content().nodes.size(), boxes_of(imported()));
}

TEST_F(BesideTest, GoesWithItsModel) {
  show({BesideKind::Step, "input"});
  document().open(sample_source("lenet"));
  wait();
  EXPECT_FALSE(beside().is_open());
  EXPECT_FALSE(beside().isVisible());
  beside().toggle();
  wait();
  EXPECT_EQ(beside().shown(), beside_at_first(document()))
      << "places of another model are forgotten";
  document().close();
  wait();
  EXPECT_FALSE(beside().is_open());
  show({BesideKind::Step, "input"});
  EXPECT_FALSE(beside().is_open()) << "of nothing nothing is shown";
}

// Stopping and starting again, whatever is on its way.
TEST_F(BesideTest, ChangesOfMindLeaveTheLastWish) {
  for (int round = 0; round < 3; ++round) {
    beside().show_place({BesideKind::Strategy, "dp"});
    beside().show_place({BesideKind::Passes, "none"});
    QTest::qWait(5);
    beside().show_place({BesideKind::Strategy, "mapping"});
    document().history().set_step(0);
    QTest::qWait(5);
    beside().show_place({});
    beside().show_place({BesideKind::Step, "last"});
    document().history().set_step(1);
  }
  wait();
  EXPECT_EQ(beside().place()->position.step, document().history().recorded()->steps.size() - 1);
  EXPECT_EQ(second().content().nodes.size(), boxes_of(last()));
  beside().show_place({BesideKind::Passes, "none"});
  QCoreApplication::sendPostedEvents(&beside());  // it begins, and cannot have ended
  document().jobs().cancel("beside");
  wait();
  EXPECT_EQ(label("workText"), "Stopped.");
  emit beside().findChild<QPushButton*>("workAgain")->clicked();
  wait();
  EXPECT_TRUE(second().isVisible());
}

}  // namespace
}  // namespace loopglass::views
