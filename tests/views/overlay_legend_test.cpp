// The card that says what colours and lines mean lies within its canvas, however narrow that is.
#include "views/canvas/overlay_legend.h"

#include <QTest>

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
  QTest::qWait(20);
  EXPECT_TRUE(canvas.viewport()->rect().contains(legend.geometry()));
  EXPECT_GT(legend.height(), wide.height());
  canvas.resize(700, 400);
  QTest::qWait(20);
  EXPECT_EQ(legend.size(), wide);
}

}  // namespace
}  // namespace loopglass::views
