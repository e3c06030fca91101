#include "views/fusion/time_bars.h"

#include <algorithm>

namespace loopglass::views {

void TimeBars::show_times(std::vector<Bar> bars) {
  bars_ = std::move(bars);
  QStringList spoken;
  for (const Bar& bar : bars_) spoken << bar.what + " " + bar.words;
  setAccessibleName(tr("Measured times"));
  setAccessibleDescription(spoken.join(", "));
  setToolTip(tr("Medians, with the range between the quartiles"));
  redraw();
}

int TimeBars::draw(QPainter* painter, int width) const {
  const Theme& t = theme();
  const QFontMetrics metrics(t.small_font());
  const int row = metrics.height() + 4, height = static_cast<int>(bars_.size()) * row;
  if (!painter) return height;
  int whats = 0, words = 0;
  double most = 0;
  for (const Bar& bar : bars_) {
    whats = std::max(whats, metrics.horizontalAdvance(bar.what));
    words = std::max(words, metrics.horizontalAdvance(bar.words));
    most = std::max({most, bar.time.median_ms, bar.time.upper_quartile_ms});
  }
  const int left = whats + 10, scale = std::clamp(width - left - words - 14, 30, 260);
  const auto place = [&](double milliseconds) {
    return left + (most > 0 ? milliseconds / most * scale : 0);
  };
  painter->setFont(t.small_font());
  int top = 0;
  for (const Bar& bar : bars_) {
    painter->setPen(t.muted);
    painter->drawText(QRect(0, top, whats + 2, row), Qt::AlignVCenter | Qt::AlignLeft, bar.what);
    painter->setPen(Qt::NoPen);
    painter->setBrush(faint(t.accent));
    painter->drawRect(QRectF(left, top + 3, place(bar.time.median_ms) - left, row - 6));
    const double middle = top + row / 2.0, low = place(bar.time.lower_quartile_ms),
                 high = place(bar.time.upper_quartile_ms);
    painter->setPen(QPen(t.text, 1.5));
    painter->drawLine(QPointF(low, middle), QPointF(high, middle));
    for (const double end : {low, high})
      painter->drawLine(QPointF(end, middle - 3), QPointF(end, middle + 3));
    const int from = left + scale + 10;
    painter->drawText(QRect(from, top, std::max(width - from, 0), row),
                      Qt::AlignVCenter | Qt::AlignLeft,
                      metrics.elidedText(bar.words, Qt::ElideRight, std::max(width - from, 0)));
    top += row;
  }
  return height;
}

}  // namespace loopglass::views
