// Codes on the edges of a canvas: each is where it can be read.
#include "tests/views/waiting.h"
#include "views/canvas/graph_canvas.h"

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class EdgeCodesTest : public testing::Test {
 protected:
  EdgeCodesTest() : canvas_(&jobs_, "layout") {}

  // One operator that `readers` others read.
  void show_fan(std::uint32_t readers) {
    CanvasContent content;
    for (std::uint32_t i = 0; i <= readers; ++i) {
      CanvasNode node;
      node.key = i;
      node.title = QString("operator %1").arg(i);
      content.nodes.push_back(std::move(node));
      if (i > 0) content.edges.push_back({0, i, {}, 0, {}});
    }
    canvas_.set_content(std::move(content), true);
    ASSERT_TRUE(eventually([&] { return canvas_.current_layout() != nullptr; }));
    CanvasOverlay overlay;
    EdgeMark mark;
    mark.color = Qt::red;
    mark.sign = "x";
    mark.code = "INTERMEDIATE_STILL_USED";
    overlay.edges.assign(readers, mark);
    canvas_.set_overlay(std::move(overlay));
  }

  template <class Item>
  std::vector<const Item*> items() const {
    std::vector<const Item*> found;
    for (QGraphicsItem* item : canvas_.scene()->items())
      if (const auto* one = qgraphicsitem_cast<Item*>(item)) found.push_back(one);
    return found;
  }

  JobQueue jobs_;
  GraphCanvas canvas_;
};

TEST_F(EdgeCodesTest, KeepClearOfOneAnotherAndOfTheBoxes) {
  show_fan(3);
  const auto edges = items<EdgeItem>();
  ASSERT_EQ(edges.size(), 3u);
  for (const EdgeItem* edge : edges) {
    for (const EdgeItem* other : edges)
      EXPECT_TRUE(edge == other || !edge->mark_area().intersects(other->mark_area()));
    for (const NodeItem* node : items<NodeItem>())
      EXPECT_FALSE(edge->mark_area().intersects(node->box().translated(node->pos())));
  }
}

// Told when somebody points at the edge: not upon the sign of another edge then, nor upon its code.
TEST_F(EdgeCodesTest, ThatLackRoomKeepClearOfOtherVerdicts) {
  show_fan(8);
  int lacking = 0;
  const auto edges = items<EdgeItem>();
  for (const EdgeItem* edge : edges) {
    if (!edge->lacks_room_for_code()) continue;
    ++lacking;
    for (const EdgeItem* other : edges)
      EXPECT_TRUE(edge == other || !edge->code_area().intersects(other->mark_area()));
  }
  EXPECT_GT(lacking, 0);
}

// One edge alone has its code in the middle, as ever.
TEST_F(EdgeCodesTest, StayInTheMiddleWhereThereIsRoom) {
  show_fan(1);
  const EdgeItem* edge = items<EdgeItem>().front();
  const QRectF line = edge->line().boundingRect();
  EXPECT_NEAR(edge->mark_place().y(), line.center().y(), 1);
}

}  // namespace
}  // namespace loopglass::views
