// Colours that can be read: text against what is behind it, by the contrast ratio of WCAG 2.
#include "views/theme.h"

#include <gtest/gtest.h>

#include <cmath>

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

INSTANTIATE_TEST_SUITE_P(Both, ThemeTest, testing::Values(Tone::Dark, Tone::Light),
                         [](const auto& info) {
                           return info.param == Tone::Dark ? "Dark" : "Light";
                         });

}  // namespace
}  // namespace loopglass::views
