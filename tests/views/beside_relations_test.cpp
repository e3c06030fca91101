// What the two canvases have to do with each other: both look at and light the same, and each says
// what the other has not.
#include "tests/views/beside_fixture.h"

namespace loopglass::views {
namespace {

using ::testing::HasSubstr;

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

}  // namespace
}  // namespace loopglass::views
