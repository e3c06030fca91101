// The overview is where it hides nothing, or not there.
#include "views/canvas/minimap.h"
#include "tests/views/opened.h"
#include "views/graph/graph_view.h"

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

class MinimapTest : public testing::Test {
 protected:
  MinimapTest() : opened_("lenet", folding_pipeline), view_(&opened_.document) {
    view_.resize(760, 560);
    view_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view_));
    EXPECT_TRUE(settled(opened_.document));
  }

  GraphCanvas& canvas() { return *view_.canvas(); }
  const Minimap& map() {
    for (const QObject* child : canvas().viewport()->children())
      if (const auto* map = dynamic_cast<const Minimap*>(child)) return *map;
    throw std::logic_error("there is no minimap");
  }
  int covered() {
    const QRectF area = canvas().mapToScene(map().geometry()).boundingRect();
    int boxes = 0;
    for (std::uint32_t node = 0; node < canvas().content().nodes.size(); ++node) {
      QRectF box({}, canvas().box_size(node));
      box.moveCenter(canvas().place_of_node(node));
      boxes += area.intersects(box);
    }
    return boxes;
  }
  // How much of the graph is seen.
  double seen() {
    const QRectF whole({}, canvas().natural_size());
    const QRectF both = whole & canvas().mapToScene(canvas().viewport()->rect()).boundingRect();
    return both.width() * both.height() / (whole.width() * whole.height());
  }

  Opened opened_;
  GraphView view_;
};

TEST_F(MinimapTest, IsNotThereWhereTheWholeGraphIs) {
  canvas().fit();
  EXPECT_TRUE(map().isHidden());
  canvas().zoom(3);
  EXPECT_FALSE(map().isHidden());
}

TEST_F(MinimapTest, GoesToACornerWhereNothingIs) {
  canvas().fit();
  int shown = 0, elsewhere = 0;
  const QPoint usual = QPoint(canvas().viewport()->width(), canvas().viewport()->height());
  for (int zoom = 0; zoom < 12; ++zoom) {
    canvas().zoom(1.15);
    const QSizeF whole = canvas().natural_size();
    for (double x = 0; x <= 1; x += 0.25)
      for (double y = 0; y <= 1; y += 0.25) {
        canvas().centre_at({whole.width() * x, whole.height() * y});
        if (map().isHidden()) continue;
        ++shown;
        elsewhere += (map().geometry().bottomRight() - usual).manhattanLength() > 40;
        if (seen() > 0.5) {
          EXPECT_EQ(covered(), 0) << zoom << ": " << x << ", " << y;
        }
      }
  }
  EXPECT_GT(shown, 20);
  EXPECT_GT(elsewhere, 0);
}

// As a session has it: where the graph lies all over the view the map comes up in the corner it
// had.
TEST_F(MinimapTest, ComesUpInTheCornerItHad) {
  GraphView::Switches switches = view_.switches();
  EXPECT_EQ(switches.map_corner, map().corner());
  for (const std::string& corner : Minimap::corner_names()) {
    switches.map_corner = corner;
    GraphView other(&opened_.document);
    other.set_switches(switches);
    EXPECT_EQ(other.switches().map_corner, corner);
  }
  switches.map_corner = "in the middle";
  view_.set_switches(switches);
  EXPECT_EQ(view_.switches().map_corner, map().corner());
}

}  // namespace
}  // namespace loopglass::views
