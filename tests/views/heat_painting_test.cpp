// Boxes in the colours of a scale: nothing else on them can be taken for one of its colours.
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"
#include "views/elided_name.h"

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

// Names of operators that are alike differ in the middle.
TEST(Titles, WhatTellsANameFromOthersIsTheLastToGo) {
  const QFontMetricsF metrics{QFont()};
  const auto in_room_of = [&](const QString& room, const QString& name, const QString& title) {
    return elided_name(name, title, metrics, metrics.horizontalAdvance(room));
  };
  for (const QString part : {"query", "value"}) {
    const QString name = "attention." + part + ".matmul";
    EXPECT_EQ(in_room_of(name, name, "MatMul"), name);
    EXPECT_EQ(in_room_of("…" + part + ".matmul", name, "MatMul"), "…" + part + ".matmul");
    EXPECT_EQ(in_room_of("…" + part + "…", name, "MatMul"), "…" + part + "…");
  }
  EXPECT_EQ(in_room_of("…0.conv1", "layer1.0.conv1", "LayoutConv"), "…0.conv1");
  const QString number = in_room_of("…ample.0", "layer1.0.downsample.0", "LayoutConv");
  EXPECT_TRUE(number.startsWith('d') && number.endsWith("0")) << number.toStdString();
  const QString block = in_room_of("block10…wise", "block10.pointwise", "LayoutConv");
  EXPECT_EQ(block, "block10…wise") << "any block has a pointwise";
  EXPECT_TRUE(
      in_room_of("…block10…", "net.block10.depthwise.relu", "Relu").startsWith("…block10…"));
  const QString ends = in_room_of("abcdefg", "onelongwordaloneandnothingelse", "Relu");
  EXPECT_TRUE(ends.startsWith('o') && ends.endsWith('e') && ends.contains(u'…'));
}

// From afar there is a title that tells something, or none.
TEST(Titles, OfAFewLettersTellNothing) {
  EXPECT_TRUE(is_telling("Add", "Add"));
  EXPECT_TRUE(is_telling("Layou…xPool", "LayoutMaxPool"));
  EXPECT_TRUE(is_telling("…0.conv1", "layer1.0.conv1"));
  EXPECT_TRUE(is_telling("…key…", "attention.key.matmul"));
  EXPECT_FALSE(is_telling("…ey…", "attention.key.matmul"));
  EXPECT_FALSE(is_telling("La…v", "LayoutConv"));
  EXPECT_FALSE(is_telling("…c…1…", "conv1.mish"));
  EXPECT_FALSE(is_telling("…", "Add"));
}

// What is not known is hatched, but not behind the words that say what it is.
TEST(OpaqueBox, IsHatchedAroundItsWords) {
  const auto picture = [](bool hatched) {
    CanvasNode node;
    node.title = "If";
    node.subtitle = "which_one_runs";
    node.fill = family;
    node.text = Qt::white;
    node.hatched = hatched;
    CanvasContent content;
    content.nodes.push_back(node);
    QGraphicsScene scene;
    auto* item = new NodeItem(0, node, box_sizes(content).front());
    scene.addItem(item);
    QImage image((item->box().size() * 2).toSize(), QImage::Format_RGB32);
    image.fill(Qt::black);
    QPainter painter(&image);
    scene.render(&painter, image.rect(), item->box());
    return image;
  };
  const QImage plain = picture(false), hatched = picture(true);
  EXPECT_NE(plain, hatched);
  const int rim = static_cast<int>(2 * hatched_rim) + 1;
  const QRect inner = plain.rect().adjusted(rim, rim, -rim, -rim);
  EXPECT_EQ(plain.copy(inner), hatched.copy(inner));
}

TEST(HeatPainting, ABoxWithoutANameHasItsColourToo) {
  for (const double zoom : {0.3, 1.0, 2.0}) EXPECT_GT(painted({}, zoom).heat, 0) << zoom;
}

}  // namespace
}  // namespace loopglass::views
