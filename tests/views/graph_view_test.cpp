// The graph pane: what is drawn, what clicks and keys select, and what stays where it is.
#include "views/graph/graph_view.h"

#include "tests/views/opened.h"
#include "views/canvas/graph_canvas.h"
#include "views/dominators/dominator_view.h"

#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>

#include <gtest/gtest.h>

#include <cstdlib>

namespace loopglass::views {
namespace {

NodeItem* item_at(const GraphCanvas& canvas, std::uint32_t box) {
  for (QGraphicsItem* item : canvas.scene()->items())
    if (auto* node = qgraphicsitem_cast<NodeItem*>(item); node && node->index() == box) return node;
  return nullptr;
}

class GraphViewTest : public testing::Test {
 protected:
  explicit GraphViewTest(const char* sample = "lenet")
      : opened_(sample, folding_pipeline), view_(&opened_.document) {
    view_.resize(900, 700);
    view_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view_));
    wait();
  }

  Document& document() { return opened_.document; }
  GraphCanvas& canvas() { return *view_.canvas(); }
  std::uint32_t box(const graph::NodePtr& node) const {
    return view_.content().box_of_node.at(node->id);
  }
  void wait() { ASSERT_TRUE(settled(document())); }
  QPoint place(std::uint32_t box) { return canvas().mapFromScene(item_at(canvas(), box)->pos()); }
  void click(QPoint at) { QTest::mouseClick(canvas().viewport(), Qt::LeftButton, {}, at); }
  graph::NodeId selected() const {
    const auto* node = std::get_if<SelectedNode>(&opened_.document.selection().current());
    return node ? node->node->id : graph::NodeId{};
  }

  Opened opened_;
  GraphView view_;
};

class ResidualGraphViewTest : public GraphViewTest {
 protected:
  ResidualGraphViewTest() : GraphViewTest("resnet50") {}
};

// Every operator is a box; constants are lines on their users, inputs and outputs are pills.
TEST_F(GraphViewTest, DrawsOperatorsAndFoldsConstants) {
  const auto& graph = *document().history().graph();
  const auto& nodes = canvas().content().nodes;
  EXPECT_EQ(nodes.size(), graph.nodes().size() + graph.inputs().size() + graph.outputs().size());
  const CanvasNode& conv = nodes[box(opened_.node("Conv"))];
  EXPECT_EQ(conv.title, "Conv");
  EXPECT_EQ(conv.details, (QStringList{"W 6x1x5x5", "B 6"}));
}

// Other passes give other numbers to what they make: what is looked at is found again by its name.
TEST(GraphViewPipeline, StaysWhereOneLooksUnderOtherPasses) {
  Opened opened("yolov4");
  GraphView view(&opened.document);
  view.resize(600, 500);
  view.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&view));
  ASSERT_TRUE(settled(opened.document));
  const Camera here{"conv2", false, 0, 0, 1};
  view.look_at(here);
  ASSERT_TRUE(settled(opened.document));
  ASSERT_TRUE(view.camera());
  ASSERT_EQ(view.camera()->box, "conv2");
  pass::Pipeline pipeline =
      opened.document.toolchain().parse_pipeline(opened.document.pipeline()).value();
  for (pass::PipelineEntry& entry : pipeline.entries) std::erase(entry.passes, "fold-batch-norm");
  std::erase_if(pipeline.entries, [](const auto& entry) { return entry.passes.empty(); });
  ASSERT_TRUE(opened.document.set_pipeline(pass::to_text(pipeline)));
  ASSERT_TRUE(settled(opened.document));
  ASSERT_TRUE(view.camera());
  EXPECT_TRUE(view.camera()->box.starts_with("conv2")) << view.camera()->box;
  opened.document.undo();
  ASSERT_TRUE(settled(opened.document));
  EXPECT_EQ(view.camera()->box, "conv2");
}

// A tensor's type is written once, however many read it.
TEST_F(ResidualGraphViewTest, WritesShapesOnEdges) {
  const auto& graph = *document().history().graph();
  const graph::ValueId id = opened_.node("MaxPool")->outputs[0];
  ASSERT_GT(graph.uses(id).size(), 1u);
  QStringList labels;
  const auto [first, last] = view_.content().edges_of_value.equal_range(id);
  for (auto edge = first; edge != last; ++edge)
    labels << canvas().content().edges[edge->second].label;
  labels.removeAll("");
  EXPECT_EQ(labels, QStringList{"1x64x56x56"});
}

TEST_F(GraphViewTest, FramesTheFusedGroups) {
  const auto plan = document().fusion().plan();
  const auto larger = std::count_if(plan->groups.begin(), plan->groups.end(),
                                    [](auto& g) { return g.nodes.size() > 1; });
  ASSERT_GT(larger, 0);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(view_.content().groups.size()), larger);
  for (const layout::Box& frame : canvas().current_layout()->clusters) EXPECT_FALSE(frame.empty());
}

TEST_F(GraphViewTest, AClickSelectsTheOperator) {
  const auto conv = opened_.node("Conv");
  click(place(box(conv)));
  EXPECT_EQ(selected(), conv->id);
}

TEST_F(GraphViewTest, AClickOnAPillSelectsTheTensor) {
  const graph::ValueId input = document().history().graph()->inputs()[0];
  click(place(view_.content().pills.find(input)->second));
  const auto* value = std::get_if<SelectedValue>(&document().selection().current());
  ASSERT_TRUE(value);
  EXPECT_EQ(value->value->id, input);
}

TEST_F(GraphViewTest, AClickBesideEverythingClearsTheSelection) {
  document().selection().select_node(opened_.node("Conv")->id);
  click({5, 5});
  EXPECT_TRUE(document().selection().empty());
}

// A selection made elsewhere comes into view; one that is in view does not move the canvas.
TEST_F(ResidualGraphViewTest, FollowsTheSelection) {
  const auto last = document().history().graph()->nodes().back();
  EXPECT_FALSE(canvas().viewport()->rect().contains(place(box(last))));
  document().selection().select_node(last->id);
  const QPoint at = place(box(last));
  EXPECT_TRUE(canvas().viewport()->rect().contains(at));
  document().selection().clear();
  document().selection().select_node(last->id);
  EXPECT_EQ(place(box(last)), at);
}

TEST_F(GraphViewTest, ArrowKeysWalkAlongEdges) {
  const auto conv = opened_.node("Conv");
  document().selection().select_node(conv->id);
  QTest::keyClick(&canvas(), Qt::Key_Down);
  EXPECT_EQ(selected(), document().history().graph()->uses(conv->outputs[0])[0].node);
  QTest::keyClick(&canvas(), Qt::Key_Up);
  EXPECT_EQ(selected(), conv->id);
}

TEST_F(GraphViewTest, SearchCountsAndGoesRound) {
  view_.find();
  auto* line = view_.findChild<QLineEdit*>("findLine");
  line->setText("conv");
  EXPECT_EQ(canvas().mark_found("conv").size(), 2u);
  QTest::keyClick(line, Qt::Key_Return);
  const graph::NodeId first = selected();
  EXPECT_EQ(document().history().graph()->node(first).op->name, "Conv");
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_NE(selected(), first);
  QTest::keyClick(line, Qt::Key_Return);
  EXPECT_EQ(selected(), first);
}

// The pass folds batch normalisations into convolutions: new convolutions wear a plus, what reads
// them has changed, and the pooling layer, which reads neither, has not.
TEST_F(ResidualGraphViewTest, MarksWhatTheStepMade) {
  const auto history = document().history().recorded();
  std::size_t step = 0;
  while (history->steps[step].pass.name != "fold-batch-norm") ++step;
  document().history().set_step(step);
  wait();
  EXPECT_GT(view_.content().created, 0u);
  EXPECT_EQ(canvas().content().nodes[box(opened_.node("Conv"))].badge, "+");
  EXPECT_EQ(canvas().content().nodes[box(opened_.node("Relu"))].badge, "~");
  EXPECT_EQ(canvas().content().nodes[box(opened_.node("MaxPool"))].badge, "");
}

TEST_F(ResidualGraphViewTest, TheSelectedOperatorKeepsItsPlaceThroughSteps) {
  const auto add = opened_.node("Add");
  document().selection().select_node(add->id);
  wait();
  const QPoint before = place(box(add));
  document().history().set_step(0);
  wait();
  ASSERT_NE(canvas().content().nodes.size(), document().history().last_graph()->nodes().size() + 2);
  const QPoint after = place(box(add));
  EXPECT_LE((after - before).manhattanLength(), 3);
}

TEST_F(GraphViewTest, ZoomsAndFits) {
  const double before = canvas().transform().m11();
  QTest::keyClick(&canvas(), Qt::Key_Plus);
  EXPECT_GT(canvas().transform().m11(), before);
  QTest::keyClick(&canvas(), Qt::Key_0, Qt::ControlModifier);
  for (std::uint32_t i = 0; i < canvas().content().nodes.size(); ++i)
    EXPECT_TRUE(canvas().viewport()->rect().contains(place(i))) << i;
}

// Until somebody moves: then steps leave the view where it is.
TEST_F(ResidualGraphViewTest, WhatWasFittedStaysWholeThroughSteps) {
  const auto all_is_seen = [&] {
    const QRectF seen = canvas().mapToScene(canvas().viewport()->rect()).boundingRect();
    for (std::uint32_t i = 0; i < canvas().content().nodes.size(); ++i)
      if (!seen.contains(canvas().place_of_node(i))) return false;
    return true;
  };
  view_.fit();
  wait();
  for (const std::size_t step : {std::size_t{0}, std::size_t{3}, std::size_t{0}}) {
    document().history().set_step(step);
    wait();
    EXPECT_TRUE(all_is_seen()) << step;
  }
  QTest::keyClick(&canvas(), Qt::Key_Plus);
  const double zoom = canvas().zoom_now();
  document().history().set_step(3);
  wait();
  EXPECT_EQ(canvas().zoom_now(), zoom);
}

// The graph's words grow with all others, and what is selected stays where it is.
TEST_F(ResidualGraphViewTest, FollowsTheSizeOfText) {
  const std::uint32_t add = box(opened_.node("Add"));
  emit canvas().nodeClicked(add);
  canvas().look_at(canvas().place_of_node(add) + QPointF(30, 20), 0.9);
  const QPoint before = place(add);
  set_text_scale(1.5);
  EXPECT_NEAR(canvas().zoom_now(), 1.35, 1e-6);
  EXPECT_LE((place(add) - before).manhattanLength(), 3);
  set_text_scale(1);
  EXPECT_NEAR(canvas().zoom_now(), 0.9, 1e-6);
}

// A tall graph at a width where the vertical scroll bar decides whether all of it fits: showing its
// beginning made the bar come and go for ever. Each resize is answered a few times at most.
TEST_F(GraphViewTest, ScrollBarsThatComeAndGoDoNotChaseTheView) {
  int answers = 0;
  QObject::connect(&canvas(), &GraphCanvas::viewChanged, &canvas(), [&] {
    if (++answers > 1000) {
      ADD_FAILURE() << "the view chases its scroll bars at " << view_.width() << "x"
                    << view_.height();
      std::exit(1);  // it would never come back
    }
  });
  for (int height = 380; height <= 1080; height += 35)
    for (int width = 300; width <= 900; width += 25) {
      answers = 0;
      view_.resize(width, height);
      QCoreApplication::processEvents();
    }
  for (int width = 300; width <= 900; ++width) {
    answers = 0;
    view_.resize(width, 700);
    QCoreApplication::processEvents();
  }
}

TEST_F(GraphViewTest, IsEmptyOnceTheModelIsClosed) {
  document().close();
  wait();
  EXPECT_TRUE(canvas().content().nodes.empty());
}

// --- dominators ---

class DominatorViewTest : public testing::Test {
 protected:
  DominatorViewTest() : opened_("resnet50", folding_pipeline), view_(&opened_.document) {
    view_.resize(600, 500);
    view_.show();
    EXPECT_TRUE(settled(opened_.document));
  }
  QString title_of_parent(graph::NodeId child) {
    const auto tree = opened_.document.history().dominators(view_.direction());
    const graph::NodeId parent = tree->parent(child);
    return parent.valid()
               ? QString::fromStdString(opened_.document.history().graph()->node(parent).name)
               : QString();
  }

  Opened opened_;
  DominatorView view_;
};

// One box per operator and one for the virtual root; one edge per operator.
TEST_F(DominatorViewTest, IsATreeOfAllOperators) {
  const CanvasContent& tree = view_.canvas()->content();
  const std::size_t operators = opened_.document.history().graph()->nodes().size();
  EXPECT_EQ(tree.nodes.size(), operators + 1);
  EXPECT_EQ(tree.edges.size(), operators);
}

// In a residual network the addition is where both branches meet again, so it post-dominates them.
TEST_F(DominatorViewTest, TurnsFromDominatorsToPostDominators) {
  const auto pool = opened_.node("MaxPool");
  ASSERT_EQ(title_of_parent(opened_.node("Add")->id), QString::fromStdString(pool->name));
  view_.set_direction(graph::Direction::PostDominators);
  EXPECT_TRUE(settled(opened_.document));
  EXPECT_EQ(title_of_parent(pool->id), QString::fromStdString(opened_.node("Add")->name));
  EXPECT_EQ(view_.canvas()->content().nodes[0].title, "all outputs");
}

TEST_F(DominatorViewTest, AClickSelects) {
  view_.canvas()->centre_on(1);
  const QPoint at = view_.canvas()->mapFromScene(item_at(*view_.canvas(), 1)->pos());
  QTest::mouseClick(view_.canvas()->viewport(), Qt::LeftButton, {}, at);
  EXPECT_TRUE(std::holds_alternative<SelectedNode>(opened_.document.selection().current()));
}

}  // namespace
}  // namespace loopglass::views
