#include "views/graph/family_legend.h"

#include "views/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr int swatch = 10, gap = 5, between = 14, between_swatches = 4;

QString family_name(ops::Family family) {
  const auto value = ops::name(family);
  return QString::fromUtf8(value.data(), static_cast<qsizetype>(value.size()));
}

}  // namespace

FamilyLegend::FamilyLegend(QWidget* parent) : QWidget(parent) {
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void FamilyLegend::set_families(std::vector<std::pair<ops::Family, int>> families) {
  std::stable_sort(families.begin(), families.end(),
                   [](auto& a, auto& b) { return a.second > b.second; });
  families_ = std::move(families);
  QString rows;
  for (const auto& [family, count] : families_)
    rows += tr("<tr><td style='color:%1'>■</td><td>%2</td><td align='right'>%3</td></tr>")
                .arg(theme().family(family).name(), family_name(family))
                .arg(count);
  setToolTip(tr("<b>Operators by family</b>") + "<table cellpadding='2'>" + rows + "</table>");
  update();
}

QSize FamilyLegend::sizeHint() const {
  return {200, QFontMetrics(theme().small_font()).height() + 4};
}
QSize FamilyLegend::minimumSizeHint() const { return {0, sizeHint().height()}; }

int FamilyLegend::width_of(ops::Family family) const {
  return swatch + gap + QFontMetrics(theme().small_font()).horizontalAdvance(family_name(family)) +
         between;
}

std::size_t FamilyLegend::names_that_fit() const {
  int left = width() - 2 + between;
  for (const auto& [family, count] : families_) left -= width_of(family);
  std::size_t named = families_.size();
  for (; named > 0 && left < 0; --named)
    left += width_of(families_[named - 1].first) - swatch - between_swatches;
  return named;
}

void FamilyLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(theme().small_font());
  const std::size_t named = names_that_fit();
  int x = 2;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const ops::Family family = families_[i].first;
    painter.fillRect(QRect(x, (height() - swatch) / 2, swatch, swatch), theme().family(family));
    if (i >= named) {
      x += swatch + between_swatches;
      continue;
    }
    painter.setPen(theme().muted);
    painter.drawText(QRect(x + swatch + gap, 0, width_of(family), height()),
                     Qt::AlignLeft | Qt::AlignVCenter, family_name(family));
    x += width_of(family);
  }
}

}  // namespace loopglass::views
