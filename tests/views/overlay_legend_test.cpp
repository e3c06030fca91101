// The card that says what colours and lines mean lies within its canvas, however narrow that is.
#include "views/canvas/overlay_legend.h"

#include "tests/views/waiting.h"
#include "views/canvas/item_style.h"

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

TEST(OverlayLegend, WritesWhatIsLongInSeveralLines) {
  JobQueue jobs;
  GraphCanvas canvas(&jobs, "legend");
  OverlayLegend legend(&canvas);
  canvas.resize(700, 400);
  canvas.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&canvas));
  EdgeMark mark;
  legend.show_rows("Estimated over measured",
                   {{mark, "not known: the cost model has not been calibrated yet"}, {mark, "0"}});
  const QSize wide = legend.size();
  canvas.resize(260, 400);
  deliver_posted();
  EXPECT_TRUE(canvas.viewport()->rect().contains(legend.geometry()));
  EXPECT_GT(legend.height(), wide.height());
  canvas.resize(700, 400);
  deliver_posted();
  EXPECT_EQ(legend.size(), wide);
}

TEST(OverlayLegend, HasRoomForItsTitle) {
  JobQueue jobs;
  GraphCanvas canvas(&jobs, "legend");
  OverlayLegend legend(&canvas);
  canvas.resize(700, 400);
  const QFontMetricsF metrics(title_font());
  constexpr double insets = 16;
  for (const char* title : {"Bytes of results", "Bytes alive", "Estimated over measured", "GFLOP/s",
                            "Time of all that runs", "Words with iiii and llll and WWWW"}) {
    legend.show_rows(title, {{EdgeMark{}, "0"}});
    EXPECT_EQ(metrics.elidedText(title, Qt::ElideRight, legend.width() - insets), title);
  }
}

}  // namespace
}  // namespace loopglass::views
