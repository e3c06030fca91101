// The rounds of a benchmark as a picture: every dot stands where the axes say.
#include "views/bench/round_chart.h"

#include "views/theme.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>

#include <cstdlib>
#include <vector>

namespace loopglass::views {
namespace {

bool is_near(const QColor& a, const QColor& b) {
  return std::abs(a.red() - b.red()) < 24 && std::abs(a.green() - b.green()) < 24 &&
         std::abs(a.blue() - b.blue()) < 24;
}

TEST(RoundChart, DotsStandWhereTheAxesSay) {
  RoundChart chart;
  const std::vector<double> rounds{0.3, 0.9, 0.35, 8.9, 0.31, 0.4, 2};
  chart.show_rounds(rounds);
  for (const QSize size : {QSize(600, 300), QSize(400, 118), QSize(300, 240), QSize(260, 100)}) {
    QImage picture(size, QImage::Format_ARGB32);
    QPainter painter(&picture);
    chart.paint(painter, size);
    painter.end();
    // Times from the foot up, rounds from left to right, all of them inside.
    const QPointF foot = chart.place_of(1, 0, size);
    for (std::size_t i = 0; i < rounds.size(); ++i) {
      const QPointF at = chart.place_of(static_cast<double>(i + 1), rounds[i], size);
      EXPECT_TRUE(QRectF({}, QSizeF(size)).contains(at)) << i;
      EXPECT_LT(at.y(), foot.y());
      const double share =
          (foot.y() - at.y()) / (foot.y() - chart.place_of(1, rounds[3], size).y());
      EXPECT_NEAR(share, rounds[i] / rounds[3], 1e-9);
      // A dot, or the line of the median upon it.
      const QColor color = picture.pixelColor(at.toPoint());
      EXPECT_FALSE(is_near(color, theme().surface) || is_near(color, theme().border))
          << i << " at " << size.width() << "x" << size.height() << ": "
          << color.name().toStdString();
    }
  }
}

// Without any, words that say what comes.
TEST(RoundChart, SaysWhatComes) {
  RoundChart chart;
  QImage picture(400, 200, QImage::Format_ARGB32);
  QPainter painter(&picture);
  chart.paint(painter, picture.size());
  painter.end();
  bool has_words = false;
  for (int x = 0; x < picture.width() && !has_words; ++x)
    for (int y = 60; y < 140; ++y)
      has_words = has_words || picture.pixelColor(x, y) != theme().surface;
  EXPECT_TRUE(has_words);
}

}  // namespace
}  // namespace loopglass::views
