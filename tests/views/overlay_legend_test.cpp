// The strip that says what colours and lines mean: it has room for all its words, however narrow it
// is, and covers nothing of the drawing.
#include "views/canvas/overlay_legend.h"

#include "tests/views/opened.h"
#include "views/graph/graph_view.h"
#include "views/text.h"
#include "views/theme.h"

#include <QMenu>
#include <QToolButton>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

std::vector<OverlayLegend::Row> rows(const QStringList& texts) {
  std::vector<OverlayLegend::Row> rows;
  for (const QString& text : texts) rows.push_back({EdgeMark{}, text});
  return rows;
}

TEST(OverlayLegend, WritesWhatIsLongInSeveralLines) {
  OverlayLegend legend;
  legend.show_rows("Estimated over measured",
                   rows({"not known: the cost model has not been calibrated yet", "0"}));
  EXPECT_GT(legend.heightForWidth(260), legend.heightForWidth(900));
  for (const int width : {140, 260, 900})
    for (const QRect& place : legend.places(width)) {
      EXPECT_GE(place.left(), 0);
      EXPECT_LE(place.right(), width) << width;
      EXPECT_LE(place.bottom(), legend.heightForWidth(width)) << width;
    }
}

// Whoever gives it another width or other words; the strip must not wait for layouts.
TEST(OverlayLegend, IsAsHighAsItsLines) {
  OverlayLegend legend;
  legend.resize(900, 20);
  legend.show_rows("", rows({"one"}));
  legend.show_rows("Families", rows({"convolution", "matrix product", "normalisation", "movement",
                                     "elementwise", "activation", "reduction"}));
  for (const int width : {900, 260, 900}) {
    legend.resize(width, legend.height());
    EXPECT_EQ(legend.height(), legend.heightForWidth(width)) << width;
  }
}

TEST(OverlayLegend, NoTwoWordsStandInOnePlace) {
  OverlayLegend legend;
  legend.show_rows("Edges fused by", rows({"both: 12", "only dominator: 3", "neither: 40", "0"}));
  for (const int width : {150, 300, 1000}) {
    const std::vector<QRect> places = legend.places(width);
    for (std::size_t i = 0; i < places.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) EXPECT_FALSE(places[i].intersects(places[j])) << width;
  }
}

TEST(OverlayLegend, HasRoomForItsTitle) {
  OverlayLegend legend;
  QFont font = theme().small_font();
  font.setWeight(QFont::DemiBold);
  for (const char* title : {"Bytes of results", "Bytes alive", "Estimated over measured", "GFLOP/s",
                            "Time of all that runs", "Words with iiii and llll and WWWW"}) {
    legend.show_rows(title, rows({"0"}));
    EXPECT_GE(legend.places(700).front().width(), QFontMetrics(font).horizontalAdvance(title));
  }
}

class LegendOfGraph : public testing::Test {
 protected:
  LegendOfGraph() : opened_("mobilenet_v1", folding_pipeline), view_(&opened_.document) {
    view_.show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(&view_));
    EXPECT_TRUE(settled(opened_.document));
  }
  void choose(const char* button, const QString& words) {
    QMenu* menu = view_.findChild<QToolButton*>(button)->menu();
    emit menu->aboutToShow();
    for (QAction* action : menu->actions())
      if (action->text().remove('&') == words) action->trigger();
    ASSERT_TRUE(settled(opened_.document));
  }
  void resize(QSize size) {
    view_.resize(size);
    deliver_posted();
  }
  OverlayLegend& legend() { return *view_.findChild<OverlayLegend*>("overlayLegend"); }
  QRect of_canvas() {
    const QWidget& viewport = *view_.canvas()->viewport();
    return {viewport.mapTo(&view_, QPoint()), viewport.size()};
  }
  bool shows_all() {
    const GraphCanvas& canvas = *view_.canvas();
    const QRect visible = canvas.viewport()->rect();
    for (std::uint32_t box = 0; box < canvas.content().nodes.size(); ++box) {
      QRectF area({}, canvas.box_size(box));
      area.moveCenter(canvas.place_of_node(box));
      if (!visible.contains(canvas.mapFromScene(area).boundingRect())) return false;
    }
    return true;
  }

  Opened opened_;
  GraphView view_;
};

TEST_F(LegendOfGraph, CoversNothingOfTheDrawing) {
  for (const QSize size : {QSize(320, 560), QSize(560, 420), QSize(1100, 700), QSize(3200, 1900)}) {
    resize(size);
    for (const char* colors : {"Bytes of results", "Operator families"}) {
      choose("colorButton", colors);
      ASSERT_TRUE(legend().isVisible());
      const QRect place(legend().mapTo(&view_, QPoint()), legend().size());
      EXPECT_FALSE(place.intersects(of_canvas())) << size.width() << colors;
      EXPECT_TRUE(view_.rect().contains(place)) << size.width() << colors;
      EXPECT_GE(legend().height(), legend().heightForWidth(legend().width()));
    }
  }
}

// Also what is said in more lines, or in a pane that is smaller than it was.
TEST_F(LegendOfGraph, AllThatWasFittedStaysVisible) {
  resize({1100, 700});
  view_.fit();
  EXPECT_TRUE(shows_all());
  choose("colorButton", "Bytes of results");
  EXPECT_TRUE(shows_all());
  resize({560, 420});
  EXPECT_TRUE(shows_all());
  view_.canvas()->zoom(3);
  resize({700, 500});
  EXPECT_FALSE(shows_all()) << "somebody has moved";
}

// In words, at the width that the pane has on a small screen.
TEST_F(LegendOfGraph, NamesEveryFamily) {
  resize({560, 420});
  QStringList names;
  for (const OverlayLegend::Row& row : legend().rows()) names << row.text;
  for (const auto& node : opened_.document.history().graph()->nodes())
    EXPECT_TRUE(names.contains(text(ops::name(node->op->family))));
  EXPECT_LE(legend().height(), 4 * QFontMetrics(theme().small_font()).height());
  for (const QRect& place : legend().places(legend().width()))
    EXPECT_LE(place.right(), legend().width());
}

}  // namespace
}  // namespace loopglass::views
