// Colours that can be read: text against what is behind it, by the contrast ratio of WCAG 2.
#include "views/theme.h"

#include "views/canvas/items.h"
#include "views/canvas/overlay_legend.h"

#include <QImage>

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

namespace loopglass::views {
namespace {

double luminance(const QColor& color) {
  const auto linear = [](double c) {
    return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) +
         0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
  const double high = std::max(luminance(a), luminance(b)),
               low = std::min(luminance(a), luminance(b));
  return (high + 0.05) / (low + 0.05);
}

class ThemeTest : public testing::TestWithParam<Tone> {
 protected:
  ThemeTest() { set_theme(GetParam()); }
  ~ThemeTest() override { set_theme(Tone::Dark); }
};

TEST_P(ThemeTest, TextIsReadableOnEverySurface) {
  const Theme& t = theme();
  for (const QColor& behind : {t.surface, t.raised, t.window}) {
    for (const QColor& color : {t.text, t.muted, t.accent, t.error, t.good, t.warning})
      EXPECT_GE(contrast(color, behind), 4.5)
          << color.name().toStdString() << " on " << behind.name().toStdString();
  }
  for (const QColor& behind : {t.selected, t.related}) EXPECT_GE(contrast(t.text, behind), 4.5);
  for (const QColor& color : {t.keyword, t.type, t.number, t.string, t.comment, t.label})
    EXPECT_GE(contrast(color, t.surface), 4.5) << color.name().toStdString();
}

TEST_P(ThemeTest, OperatorNamesAreReadableOnTheirFamilysColour) {
  const Theme& t = theme();
  for (int i = 0; i <= static_cast<int>(ops::Family::Opaque); ++i) {
    const auto family = static_cast<ops::Family>(i);
    EXPECT_GE(contrast(t.family(family), t.family_text(family)), 4.5) << name(family);
  }
}

TEST_P(ThemeTest, GroupOutlinesStandOutFromTheCanvas) {
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_GE(contrast(theme().group(i), theme().surface), 3) << i;
}

// Every colour of the scale is seen on the paper, can be written on, and is lighter or darker than
// the one before it, the same way all along.
TEST_P(ThemeTest, TheScaleIsSeenFromItsFirstColour) {
  const Theme& t = theme();
  constexpr int steps = 200, telling = 10;  // those that are further apart than roundings
  for (const double direction : {1.0, -1.0}) {
    double before = -1;
    for (int step = 0; step <= steps; ++step) {
      const QColor color = t.heat(direction * step / steps);
      for (const QColor& behind : {t.surface, t.raised})
        EXPECT_GE(contrast(color, behind), 3) << step;
      EXPECT_GE(contrast(color, text_on(color)), 4.5) << step;
      if (step % telling) continue;
      const double distance = contrast(color, t.surface);
      EXPECT_GT(distance, before) << step;
      before = distance;
    }
  }
}

struct Oklab {
  double lightness, a, b;
};

// Björn Ottosson's space, in which distances are as eyes see them.
Oklab oklab(const QColor& color) {
  const auto linear = [](double c) {
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double red = linear(color.redF()), green = linear(color.greenF()),
               blue = linear(color.blueF());
  const double l = std::cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue),
               m = std::cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue),
               s = std::cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

// Equal steps of what is shown look equally far apart, and no colour between looks like dirt.
TEST_P(ThemeTest, TheScaleIsEvenToTheEye) {
  constexpr int steps = 16;
  double shortest = 1, longest = 0;
  std::optional<Oklab> before;
  for (int step = 0; step <= steps; ++step) {
    const Oklab now = oklab(theme().heat(static_cast<double>(step) / steps));
    EXPECT_GE(std::hypot(now.a, now.b), 0.115) << "colourful at " << step;
    if (before) {
      const double distance =
          std::hypot(now.lightness - before->lightness, now.a - before->a, now.b - before->b);
      shortest = std::min(shortest, distance);
      longest = std::max(longest, distance);
    }
    before = now;
  }
  EXPECT_LE(longest, 1.5 * shortest);
}

// Of whatever colour it is, a sample of the legend is outlined.
TEST_P(ThemeTest, SamplesOfTheLegendStandOutFromIt) {
  OverlayLegend legend;
  std::vector<OverlayLegend::Row> rows;
  std::vector<QColor> fills{theme().raised, theme().heat(0), theme().heat(1)};
  for (int i = 0; i <= static_cast<int>(ops::Family::Opaque); ++i)
    fills.push_back(theme().family(static_cast<ops::Family>(i)));
  for (const QColor& fill : fills) {
    EdgeMark mark;
    mark.color = fill;
    rows.push_back({mark, "what it is", OverlayLegend::Sample::Swatch});
  }
  legend.show_rows({}, std::move(rows));
  legend.resize(400, legend.heightForWidth(400));
  const QImage image = legend.grab().toImage();
  const QColor behind = image.pixelColor(1, image.height() - 1);
  const std::vector<QRect> places = legend.places(400);
  for (std::size_t i = 0; i < fills.size(); ++i) {
    const QRect& place = places[i + 1];
    const QColor outline = image.pixelColor(place.left(), place.center().y());
    EXPECT_GE(contrast(outline, behind), 3) << i << outline.name().toStdString();
    EXPECT_EQ(image.pixelColor(place.left() + 5, place.center().y()), fills[i]) << i;
  }
}

// The title of a hull upon its fill, and the number of a mark upon its square.
TEST_P(ThemeTest, WordsInGroupColoursAreReadable) {
  for (std::size_t i = 0; i < 7; ++i) {
    const QColor color = theme().group(i);
    const ClusterItem hull(0, {"conv1 + relu", color, {}}, {QRectF(0, 0, 10, 10)});
    EXPECT_GE(contrast(color, hull.solid_fill()), 4.5) << i << color.name().toStdString();
    EXPECT_GE(contrast(theme().surface, color), 4.5) << i << color.name().toStdString();
  }
}

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Values(Tone::Dark, Tone::Light),
                         [](const auto& info) {
                           return info.param == Tone::Dark ? "Dark" : "Light";
                         });

}  // namespace
}  // namespace loopglass::views
