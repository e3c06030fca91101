#include "views/graph/family_legend.h"

#include "views/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr int swatch = 10, gap = 5, between = 14;

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
  QStringList lines;
  for (const auto& [family, count] : families_)
    lines << tr("%1: %2 of the operators").arg(family_name(family)).arg(count);
  setToolTip(lines.join('\n'));
  update();
}

QSize FamilyLegend::sizeHint() const {
  return {200, QFontMetrics(theme().small_font()).height() + 4};
}
QSize FamilyLegend::minimumSizeHint() const { return {0, sizeHint().height()}; }

void FamilyLegend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setFont(theme().small_font());
  const QFontMetrics metrics(painter.font());
  int x = 2;
  for (const auto& [family, count] : families_) {
    const QString label = family_name(family);
    const int wide = swatch + gap + metrics.horizontalAdvance(label);
    if (x + wide > width()) break;
    painter.fillRect(QRect(x, (height() - swatch) / 2, swatch, swatch), theme().family(family));
    painter.setPen(theme().muted);
    painter.drawText(QRect(x + swatch + gap, 0, wide, height()), Qt::AlignLeft | Qt::AlignVCenter,
                     label);
    x += wide + between;
  }
}

}  // namespace loopglass::views
