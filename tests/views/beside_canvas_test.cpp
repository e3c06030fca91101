// The second canvas beside the graph: what it shows, that both look at and light the same, and when
// it goes.
#include "views/graph/beside_canvas.h"

#include "tests/views/opened.h"
#include "views/canvas/overlay_legend.h"
#include "views/document/debugger.h"
#include "views/graph/graph_view.h"
#include "views/graph/heat.h"
#include "views/theme.h"

#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

using BesideKind = SavedBeside::Kind;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class BesideTest : public testing::Test {
 protected:
  explicit BesideTest(const char* sample = "mobilenet_v1")
      : opened_(sample, folding_pipeline), view_(&opened_.document) {
    view_.resize(1100, 700);
    view_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view_));
    wait();
  }
  void wait() { ASSERT_TRUE(settled(document())); }
  Document& document() { return opened_.document; }
  Selection& selection() { return document().selection(); }
  BesideCanvas& beside() { return *view_.beside(); }
  GraphCanvas& first() { return *view_.canvas(); }
  GraphCanvas& second() { return *beside().canvas(); }
  void show(SavedBeside what) {
    beside().show_place(std::move(what));
    wait();
  }
  std::string label(const char* name) {
    return beside().findChild<QLabel*>(name)->text().toStdString();
  }

  // The first node of this operator in a graph.
  static const graph::Node& node(const graph::Graph& graph, std::string_view op) {
    for (const auto& node : graph.nodes())
      if (node->op->name == op) return *node;
    ADD_FAILURE() << "no " << op;
    return *graph.nodes().front();
  }
  const graph::Graph& imported() { return *document().history().recorded()->steps.front().result; }
  const graph::Graph& last() { return *document().history().last_graph(); }
  std::uint32_t box_here(graph::NodeId id) { return view_.content().box_of_node.at(id); }
  std::uint32_t box_there(graph::NodeId id) { return beside().content().box_of_node.at(id); }
  // From where it stands to the middle of the view.
  static QPointF off_middle(const GraphCanvas& canvas, std::uint32_t box) {
    return canvas.place_of_node(box) - canvas.middle();
  }
  static std::size_t boxes_of(const graph::Graph& graph) {
    return graph.nodes().size() + graph.inputs().size() + graph.outputs().size();
  }
  // An operator in the middle that all steps have.
  graph::NodeId shared() {
    std::vector<graph::NodeId> ids;
    for (const auto& node : last().nodes())
      if (imported().find(node->id)) ids.push_back(node->id);
    return ids[ids.size() / 2];
  }

  Opened opened_;
  GraphView view_;
};

// --- colours ---

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

// What stands in the same drawing stands in the same place, so nothing between the two seems to
// move.
TEST_F(BesideTest, WhicheverIsMovedTakesTheOtherAlong) {
  show({BesideKind::Step, "input"});
  const graph::NodeId id = shared();
  first().centre_on(box_here(id));
  EXPECT_LT(off_middle(second(), box_there(id)).manhattanLength(), 3);
  first().zoom(1.25);
  EXPECT_DOUBLE_EQ(second().zoom_now(), first().zoom_now());
  EXPECT_LT(off_middle(second(), box_there(id)).manhattanLength(), 3);
  second().look_at(second().place_of_node(box_there(id)) + QPointF(30, -40), 0.7);
  EXPECT_DOUBLE_EQ(first().zoom_now(), 0.7);
  EXPECT_LT((off_middle(first(), box_here(id)) - QPointF(-30, 40)).manhattanLength(), 4);
}

TEST_F(BesideTest, OtherDrawingsAreLinkedByTheOperators) {
  show({BesideKind::Strategy, "none"});
  for (const auto& node : last().nodes()) {
    first().centre_on(box_here(node->id));
    EXPECT_LT(off_middle(second(), box_there(node->id)).manhattanLength(), 4) << node->name;
  }
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

// A fused operator is where those stand that it was made from.
TEST_F(BesideTest, WhatIsNotThereIsFoundByWhatStandsForIt) {
  show({BesideKind::Step, "input"});
  const graph::Node& folded = node(last(), "Conv");
  ASSERT_FALSE(imported().find(folded.id));
  first().centre_on(box_here(folded.id));
  const QRectF seen = second().mapToScene(second().viewport()->rect()).boundingRect();
  EXPECT_TRUE(seen.contains(second().place_of_node(box_there(node(imported(), "Conv").id))));
}

TEST_F(BesideTest, UnlinkedEachLooksWhereItLikes) {
  show({BesideKind::Step, "input"});
  beside().findChild<QToolButton*>("besideLink")->click();
  EXPECT_FALSE(view_.switches().beside.linked);
  const QPointF stays = second().middle();
  first().look_at(first().middle() + QPointF(0, 600), 1.5);
  EXPECT_LT((second().middle() - stays).manhattanLength(), 1);
  EXPECT_NE(second().zoom_now(), first().zoom_now());
  beside().findChild<QToolButton*>("besideLink")->click();
  EXPECT_DOUBLE_EQ(second().zoom_now(), first().zoom_now());
}

TEST_F(BesideTest, TheSameIsLitInBoth) {
  show({BesideKind::Step, "input"});
  const graph::NodeId id = shared();
  selection().select_node(id);
  EXPECT_EQ(first().highlight().primary, box_here(id));
  EXPECT_EQ(second().highlight().primary, box_there(id));
  emit second().nodeClicked(box_there(shared()));
  EXPECT_EQ(std::get<SelectedNode>(selection().current()).node->id, shared());
  emit second().backgroundClicked();
  EXPECT_TRUE(selection().empty());
  EXPECT_FALSE(second().highlight().primary);
}

// A batch normalisation that was folded away is lit as the convolution that it is part of, and the
// other way round; a click on it says so.
TEST_F(BesideTest, WhatIsGoneIsLitByWhatBecameOfIt) {
  show({BesideKind::Step, "input"});
  const graph::Node& folded = node(last(), "Conv");
  const graph::Node& norm = node(imported(), "BatchNormalization");
  selection().select_node(folded.id);
  ASSERT_TRUE(second().highlight().primary);
  std::vector<std::uint32_t> lit = second().highlight().related;
  lit.push_back(*second().highlight().primary);
  EXPECT_THAT(lit, ::testing::Contains(box_there(norm.id)));
  EXPECT_THAT(lit, ::testing::Contains(box_there(node(imported(), "Conv").id)));

  emit second().nodeClicked(box_there(norm.id));
  EXPECT_EQ(second().highlight().primary, box_there(norm.id));
  EXPECT_EQ(first().highlight().primary, box_here(folded.id));
  EXPECT_THAT(label("besideStatus"), HasSubstr(norm.name + " is not in step"));
  EXPECT_THAT(label("besideStatus"), HasSubstr(folded.name + " in its place"));
  selection().select_node(shared());
  EXPECT_THAT(label("besideStatus"), ::testing::Not(HasSubstr("in its place")));
}

TEST_F(BesideTest, WhatGoesIsMarkedThereAndWhatCameHere) {
  show({BesideKind::Step, "input"});
  EXPECT_EQ(second().content().nodes[box_there(node(imported(), "BatchNormalization").id)].badge,
            "−");
  EXPECT_EQ(second().content().nodes[box_there(imported().nodes().back()->id)].badge, "");
  EXPECT_THAT(label("besideStatus"), HasSubstr("gone in the other graph"));
  // Seen from the start, the end has what is yet to come.
  document().history().set_step(0);
  show({BesideKind::Step, "last"});
  EXPECT_EQ(second().content().nodes[box_there(node(last(), "Conv").id)].badge, "+");
}

// Operators are counted, whatever stands for them; and what only the first has counts, too.
TEST_F(BesideTest, DifferencesAreCountedInOperators) {
  const auto only_in = [](const graph::Graph& graph, const graph::Graph& other) {
    return std::ranges::count_if(graph.nodes(),
                                 [&](const graph::NodePtr& node) { return !other.find(node->id); });
  };
  const std::string gone = std::to_string(only_in(imported(), last())) + " gone in the other graph";
  const std::string fresh = std::to_string(only_in(last(), imported())) + " new in the other graph";
  show({BesideKind::Step, "input"});
  EXPECT_THAT(label("besideStatus"), HasSubstr("− " + gone));
  EXPECT_THAT(label("besideStatus"), HasSubstr("+ " + fresh));
  EXPECT_EQ(std::to_string(view_.canvas()->overlay().roles.size()) + " new in the other graph",
            fresh)
      << "outlined in the first";
  GraphView::Switches switches = view_.switches();
  switches.folds.by = "blocks";
  switches.folds.asked = true;
  view_.set_switches(switches);
  wait();
  EXPECT_THAT(label("besideStatus"), HasSubstr("− " + gone));
  for (std::uint32_t box = 0; box < second().content().nodes.size(); ++box)
    if (second().content().nodes[box].stack) {
      emit second().nodeActivated(box);  // one block for all
      break;
    }
  wait();
  EXPECT_THAT(label("besideStatus"), HasSubstr("− " + gone));
  EXPECT_THAT(label("besideStatus"), HasSubstr("+ " + fresh));
}

// With other passes operators are the same by their names; folded boxes wear the signs as well.
TEST_F(BesideTest, OtherPassesAreMarkedWhateverIsFolded) {
  show({BesideKind::Passes, "none"});
  std::size_t only_there = 0, only_here = 0;
  for (const auto& node : beside().place()->graph->nodes())
    only_there += last().find_node(node->name) == nullptr;
  for (const auto& node : last().nodes())
    only_here += beside().place()->graph->find_node(node->name) == nullptr;
  ASSERT_GT(only_there, 0u);
  const std::string there = "+ " + std::to_string(only_there) + " only here";
  EXPECT_THAT(label("besideStatus"), HasSubstr(there));
  if (only_here > 0) {
    EXPECT_THAT(label("besideStatus"),
                HasSubstr("− " + std::to_string(only_here) + " missing here"));
  }
  GraphView::Switches switches = view_.switches();
  switches.folds.by = "blocks";
  switches.folds.asked = true;
  view_.set_switches(switches);
  wait();
  EXPECT_THAT(label("besideStatus"), HasSubstr(there));
  EXPECT_TRUE(std::ranges::any_of(second().content().nodes, [](const CanvasNode& node) {
    return node.stack && node.badge == "~";
  })) << "blocks in which normalisations stand that are gone in the first";
  show({});
  EXPECT_TRUE(view_.canvas()->overlay().roles.empty()) << "nothing is beside it";
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
