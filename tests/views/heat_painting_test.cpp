// Boxes in the colours of a scale: nothing else on them can be taken for one of its colours.
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"

#include <QGraphicsScene>
#include <QImage>
#include <QPainter>

#include <gtest/gtest.h>

namespace loopglass::views {
namespace {

const QColor family(0, 0, 255), heat(255, 0, 0);

struct Pixels {
  int family = 0, heat = 0;
};

Pixels painted(const QString& subtitle, double zoom) {
  CanvasNode node;
  node.title = "Conv";
  node.subtitle = subtitle;
  node.fill = family;
  node.text = Qt::white;
  CanvasContent content;
  content.nodes.push_back(node);
  QGraphicsScene scene;
  auto* item = new NodeItem(0, node, box_sizes(content).front());
  scene.addItem(item);
  const NodeHeat hot{heat, "9 ms"};
  item->set_heat(&hot);
  const QRectF box = item->box();
  QImage image((box.size() * zoom).toSize(), QImage::Format_RGB32);
  image.fill(Qt::black);
  QPainter painter(&image);
  scene.render(&painter, image.rect(), box);
  painter.end();
  Pixels pixels;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x) {
      pixels.family += image.pixelColor(x, y) == family;
      pixels.heat += image.pixelColor(x, y) == heat;
    }
  return pixels;
}

TEST(HeatPainting, FromAfarABoxIsOfTheScaleAlone) {
  for (const double zoom : {0.15, 0.2, 0.3}) {
    EXPECT_EQ(painted("layer1.conv", zoom).family, 0) << zoom;
    EXPECT_GT(painted("layer1.conv", zoom).heat, 0) << zoom;
  }
  const Pixels near = painted("layer1.conv", 1);
  EXPECT_GT(near.family, 0) << "the band of its title tells what it is";
  EXPECT_GT(near.heat, 0);
}

TEST(Titles, HowManyABoxStandsForIsTheLastToGo) {
  const QFontMetricsF metrics{QFont()};
  const QString title = "3 LayoutConv, 3 Relu, Add ×16";
  EXPECT_EQ(elided_title(title, metrics, 1000), title);
  const QString cut = elided_title(title, metrics, metrics.horizontalAdvance(title) / 2);
  EXPECT_TRUE(cut.startsWith('3') && cut.contains(u'…')) << cut.toStdString();
  EXPECT_TRUE(cut.endsWith("d ×16")) << cut.toStdString();
  EXPECT_LE(metrics.horizontalAdvance(cut), metrics.horizontalAdvance(title) / 2);
  const QString ends = elided_title("layer1.conv.weight", metrics, 60);
  EXPECT_TRUE(ends.startsWith('l') && ends.endsWith('t')) << ends.toStdString();
}

TEST(HeatPainting, ABoxWithoutANameHasItsColourToo) {
  for (const double zoom : {0.3, 1.0, 2.0}) EXPECT_GT(painted({}, zoom).heat, 0) << zoom;
}

}  // namespace
}  // namespace loopglass::views
