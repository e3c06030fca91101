// One drawing for all states of a graph: what survives does not move.
#include "views/layout/steady.h"

#include "tests/views/opened.h"
#include "views/canvas/graph_canvas.h"
#include "views/graph/graph_view.h"

#include <gtest/gtest.h>

namespace loopglass::layout {
namespace {

SteadyGraph graph_of(std::vector<SteadyState> states) {
  SteadyGraph graph;
  for (const SteadyState& state : states)
    for (const Key key : state.nodes) graph.nodes[key] = {100, 40, -1};
  graph.states = std::move(states);
  return graph;
}

// The state's nodes as a part, without ghosts, and where they stand.
std::map<Key, Point> places(const SteadyDrawing& drawing, const SteadyState& state) {
  std::vector<PartNode> nodes;
  std::vector<PartEdge> edges;
  std::map<Key, std::uint32_t> place;
  for (const Key key : state.nodes) {
    place[key] = static_cast<std::uint32_t>(nodes.size());
    nodes.push_back({key, 100, 40});
  }
  for (const KeyedEdge& edge : state.edges)
    edges.push_back({place.at(edge.from), place.at(edge.to)});
  std::unordered_map<Key, Point> guests;
  const Layout layout = drawing.part(nodes, edges, guests);
  std::map<Key, Point> result;
  for (const auto& [key, index] : place) result[key] = layout.centres[index];
  EXPECT_EQ(layout.edges.size(), edges.size());
  for (const auto& curves : layout.edges) EXPECT_FALSE(curves.empty());
  return result;
}

// 1 -> 2 -> 3 -> 4 becomes 1 -> 5 -> 4, where 5 is made of 2 and 3.
const SteadyState long_chain{{1, 2, 3, 4}, {{1, 2}, {2, 3}, {3, 4}}, {}};
const SteadyState short_chain{{1, 5, 4}, {{1, 5}, {5, 4}}, {{2, 5}}};

TEST(SteadyLayout, WhatSurvivesDoesNotMoveAndWhatTakesAPlaceStandsThere) {
  const auto drawing = lay_out_steadily(graph_of({long_chain, short_chain})).value();
  const auto before = places(drawing, long_chain), after = places(drawing, short_chain);
  EXPECT_EQ(before.at(1), after.at(1));
  EXPECT_EQ(before.at(4), after.at(4));
  EXPECT_EQ(before.at(2), after.at(5));
  EXPECT_EQ(drawing.whole().centres.size(), 4u) << "four places for five nodes";
}

// The edge that closes the gap does not push the chain apart: it runs straight through it.
TEST(SteadyLayout, AnEdgeOverAGapRunsThroughIt) {
  const auto drawing = lay_out_steadily(graph_of({long_chain, short_chain})).value();
  const auto chain = places(drawing, long_chain);
  for (const auto& [key, place] : chain) EXPECT_NEAR(place.x, chain.at(1).x, 1) << key;
}

TEST(SteadyLayout, StatesThatDisagreeAboutTheOrderCanBeDrawn) {
  const SteadyState one{{1, 2}, {{1, 2}}, {}}, other{{1, 2}, {{2, 1}}, {}};
  const auto drawing = lay_out_steadily(graph_of({one, other})).value();
  EXPECT_EQ(places(drawing, one), places(drawing, other));
}

// What lives only in the middle of a step is in no state; it stands beside its neighbours, on
// nobody.
TEST(SteadyLayout, GuestsFindAFreePlaceNearTheirNeighbours) {
  const auto drawing = lay_out_steadily(graph_of({long_chain, short_chain})).value();
  const SteadyState middle{{1, 2, 3, 4, 9}, {{1, 2}, {2, 9}, {9, 3}, {3, 4}}, {}};
  const auto now = places(drawing, middle), before = places(drawing, long_chain);
  for (const auto& [key, place] : before) EXPECT_EQ(now.at(key), place) << key;
  for (const auto& [key, place] : before)
    EXPECT_TRUE(std::abs(now.at(9).x - place.x) >= 100 || std::abs(now.at(9).y - place.y) >= 40)
        << key;
  EXPECT_LT(std::abs(now.at(9).y - (before.at(2).y + before.at(3).y) / 2), 200);
}

// One does not hide the other.
TEST(SteadyLayout, AGhostStandsBesideWhatTookItsPlace) {
  const auto drawing = lay_out_steadily(graph_of({long_chain, short_chain})).value();
  std::unordered_map<Key, Point> guests;
  const Layout layout =
      drawing.part({{5, 100, 40}, {2, 100, 40, true}, {3, 100, 40, true}}, {}, guests);
  EXPECT_GE(std::abs(layout.centres[1].x - layout.centres[0].x), 100);
  EXPECT_NEAR(layout.centres[1].y, layout.centres[0].y, 5);
  EXPECT_EQ(layout.centres[2], places(drawing, long_chain).at(3)) << "nobody stands there";
}

// Of what vanished, no bend is left in the edge that closes the gap.
TEST(SteadyLayout, AnEdgeOverAGapIsDrawnTight) {
  const SteadyState ends{{1, 4}, {{1, 4}}, {}};
  const auto drawing = lay_out_steadily(graph_of({long_chain, ends})).value();
  std::unordered_map<Key, Point> guests;
  const Layout layout = drawing.part({{1, 100, 40}, {4, 100, 40}}, {{0, 1}}, guests);
  ASSERT_EQ(layout.edges[0].size(), 1u);
  const Curve& curve = layout.edges[0][0];
  EXPECT_EQ(curve.size(), 4u) << "one segment";
  EXPECT_NEAR(curve.front().y, layout.centres[0].y + 20, 1) << "from the foot of the one";
  EXPECT_NEAR(curve.back().y, layout.centres[1].y - 20, 1) << "to the head of the other";
}

}  // namespace
}  // namespace loopglass::layout

namespace loopglass::views {
namespace {

// Through all steps of a real network, and into one of them, operators stay where they are.
TEST(SteadyGraphView, OperatorsThatSurviveAStepDoNotMove) {
  Opened opened("resnet50", folding_pipeline);
  Document& document = opened.document;
  GraphView view(&document);
  view.resize(900, 700);
  view.show();
  // At the end too, which else has room for itself alone.
  GraphView::Switches switches = view.switches();
  switches.folds.steady = true;
  view.set_switches(switches);
  ASSERT_TRUE(settled(document));
  std::map<graph::NodeId, QPointF> last;
  const auto look = [&] {
    std::map<graph::NodeId, QPointF> now;
    for (const auto& node : document.history().graph()->nodes()) {
      const auto& centre =
          view.canvas()->current_layout()->centres[view.content().box_of_node.at(node->id)];
      now[node->id] = view.canvas()->mapFromScene(QPointF(centre.x, centre.y));
    }
    std::size_t survivors = 0;
    for (const auto& [id, place] : now)
      if (const auto before = last.find(id); before != last.end()) {
        ++survivors;
        EXPECT_EQ(place, before->second) << document.history().graph()->node(id).name << " at "
                                         << pass::to_text(document.history().position());
      }
    last = std::move(now);
    return survivors;
  };
  look();
  for (const Walk walk : {Walk::PassBack, Walk::PassBack, Walk::PassBack, Walk::RewriteForward,
                          Walk::RewriteForward, Walk::PassForward, Walk::Start}) {
    document.history().walk(walk);
    ASSERT_TRUE(settled(document));
    EXPECT_GT(look(), 60u);
  }
}

// What lives only in the middle of a pass finds a place in its own column: none of the boxes that
// are there lies over another.
TEST(SteadyGraphView, InTheMiddleOfAPassNothingLiesOverAnother) {
  Opened opened("resnet50", "default");
  Document& document = opened.document;
  std::size_t step = 0;
  while (document.history().recorded()->steps[step].pass.name != "assign-layouts") ++step;
  const std::size_t rewrites = document.history().recorded()->steps[step].rewrites.size();
  ASSERT_GT(rewrites, 100u);
  GraphView view(&document);
  view.resize(1400, 900);
  view.show();
  ASSERT_TRUE(settled(document));
  std::size_t pairs = 0;
  for (std::size_t rewrite = 1; rewrite <= rewrites; rewrite += 17) {
    document.history().set_position({step, rewrite});
    ASSERT_TRUE(settled(document));
    const GraphCanvas& canvas = *view.canvas();
    const auto& nodes = canvas.content().nodes;
    std::vector<QRectF> boxes;
    for (std::uint32_t box = 0; box < nodes.size(); ++box) {
      const layout::Point centre = canvas.current_layout()->centres[box];
      QRectF place({}, canvas.box_size(box));
      place.moveCenter({centre.x, centre.y});
      if (!nodes[box].ghost) boxes.push_back(place);
    }
    for (std::size_t a = 0; a < boxes.size(); ++a)
      for (std::size_t b = a + 1; b < boxes.size(); ++b, ++pairs)
        EXPECT_FALSE(boxes[a].intersects(boxes[b])) << rewrite << ": " << a << " and " << b;
  }
  EXPECT_GT(pairs, 0u);
}

TEST(SteadyGraphView, WhatAStepRemovedLeavesAGhost) {
  Opened opened("resnet50", folding_pipeline);
  Document& document = opened.document;
  std::size_t step = 0;
  while (document.history().recorded()->steps[step].pass.name != "fold-batch-norm") ++step;
  GraphView view(&document);
  view.show();
  document.history().set_position({step, 1});
  ASSERT_TRUE(settled(document));
  std::map<QString, int> badges;
  int ghosts = 0;
  for (const CanvasNode& node : view.canvas()->content().nodes) {
    ++badges[node.badge];
    ghosts += node.ghost;
  }
  EXPECT_EQ(view.content().created, 1u);
  EXPECT_EQ(badges["+"], 1);
  EXPECT_EQ(badges["−"], 2) << "the convolution and its batch normalisation";
  EXPECT_EQ(ghosts, 2);
  EXPECT_GT(badges["~"], 0) << "what read the old convolution reads the new one";
}

// In columns that stand close together, too.
TEST(SteadyGraphView, WhatIsGoneLooksOutFromBehindWhatTookItsPlace) {
  Opened opened("mobilenet_v1", "default");
  Document& document = opened.document;
  std::size_t step = 0;
  while (document.history().recorded()->steps[step].pass.name != "fold-batch-norm") ++step;
  GraphView view(&document);
  view.resize(600, 500);
  view.show();
  document.history().set_position({step + 1, 0});
  ASSERT_TRUE(settled(document));
  const GraphCanvas& canvas = *view.canvas();
  const auto& nodes = canvas.content().nodes;
  const auto place_of = [&](std::uint32_t box) {
    QRectF place({}, canvas.box_size(box));
    place.moveCenter(
        {canvas.current_layout()->centres[box].x, canvas.current_layout()->centres[box].y});
    return place;
  };
  std::size_t ghosts = 0;
  for (std::uint32_t ghost = 0; ghost < nodes.size(); ++ghost) {
    if (!nodes[ghost].ghost) continue;
    ++ghosts;
    const QRectF place = place_of(ghost);
    double covered = 0;
    for (std::uint32_t other = 0; other < nodes.size(); ++other) {
      const QRectF both = place & place_of(other);
      if (!nodes[other].ghost) covered += both.width() * both.height();
    }
    EXPECT_LT(covered, 0.1 * place.width() * place.height()) << nodes[ghost].title.toStdString();
  }
  EXPECT_EQ(ghosts, 54u) << "convolutions and batch normalisations";
}

}  // namespace
}  // namespace loopglass::views
