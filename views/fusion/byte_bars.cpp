#include "views/fusion/byte_bars.h"

#include "core/support/readable_bytes.h"
#include "views/text.h"

#include <algorithm>
#include <cstdlib>

namespace loopglass::views {
namespace {

QString amount(std::int64_t bytes) {
  return (bytes < 0 ? "−" : "") + text(readable_bytes(std::abs(bytes)));
}

}  // namespace

void ByteBars::show_traffic(const fusion::EdgeTraffic& traffic, bool fused) {
  const auto& [apart, together] = traffic;
  const fusion::Saving saving = fusion::saving(traffic);
  bars_.clear();
  const auto pair = [&](const QString& what, std::int64_t before, std::int64_t after) {
    bars_.push_back({what, tr("apart"), before, Tint::Apart});
    bars_.push_back({{}, tr("together"), after, Tint::Together});
  };
  pair(tr("written"), apart.written, together.written);
  pair(tr("read"), apart.read, together.read);
  if (apart.kept > 0 || together.kept > 0) {
    pair(tr("workspace written"), apart.kept, together.kept);
    pair(tr("workspace read"), apart.read_back, together.read_back);
  }
  bars_.push_back({fused ? tr("saved") : tr("would be saved"), {}, saving.bytes, Tint::Saved});
  if (saving.workspace_bytes > 0)
    bars_.push_back({tr("to the workspace"), {}, saving.workspace_bytes, Tint::Apart});
  QStringList spoken;
  for (const Bar& bar : bars_)
    spoken << QString("%1 %2 %3").arg(bar.what, bar.whose, amount(bar.bytes)).simplified();
  setAccessibleName(tr("Bytes of intermediates"));
  setAccessibleDescription(spoken.join(", "));
  setToolTip(
      tr("Bytes of intermediates in one run: of the kernels of both ends, and of one kernel of "
         "both. Inputs, "
         "constants and results of the network move in any case, and are not counted"));
  redraw();
}

QColor ByteBars::color_of(Tint tint) const {
  const Theme& t = theme();
  switch (tint) {
    case Tint::Apart: return t.warning;
    case Tint::Together: return t.accent;
    case Tint::Saved: return t.good;
  }
  __builtin_unreachable();
}

int ByteBars::draw(QPainter* painter, int width) const {
  const Theme& t = theme();
  const QFontMetrics metrics(t.small_font());
  const int row = metrics.height() + 2, height = static_cast<int>(bars_.size()) * row;
  if (!painter) return height;
  int whats = 0, whose = 0, numbers = 0;
  std::int64_t most = 1;
  for (const Bar& bar : bars_) {
    whats = std::max(whats, metrics.horizontalAdvance(bar.what));
    whose = std::max(whose, metrics.horizontalAdvance(bar.whose));
    numbers = std::max(numbers, metrics.horizontalAdvance(amount(bar.bytes)));
    most = std::max(most, std::abs(bar.bytes));
  }
  whats = std::min(whats + 2, width * 2 / 5);
  const int left = whats + whose + 16, scale = std::max(width - left - numbers - 8, 10);
  painter->setFont(t.small_font());
  int top = 0;
  for (const Bar& bar : bars_) {
    painter->setPen(t.text);
    painter->drawText(QRect(0, top, whats, row), Qt::AlignVCenter | Qt::AlignLeft,
                      metrics.elidedText(bar.what, Qt::ElideRight, whats));
    painter->setPen(t.muted);
    painter->drawText(QRect(whats + 8, top, whose, row), Qt::AlignVCenter | Qt::AlignLeft,
                      bar.whose);
    const double part = static_cast<double>(std::abs(bar.bytes)) / static_cast<double>(most);
    const QRectF place(left, top + 3, std::max(part * scale, 1.5), row - 6);
    painter->setPen(Qt::NoPen);
    // More instead of less is no saving.
    painter->setBrush(bar.bytes < 0 ? t.error : color_of(bar.tint));
    painter->drawRoundedRect(place, 2, 2);
    painter->setPen(t.text);
    painter->drawText(QRect(static_cast<int>(place.right()) + 6, top, numbers + 4, row),
                      Qt::AlignVCenter | Qt::AlignLeft, amount(bar.bytes));
    top += row;
  }
  return height;
}

}  // namespace loopglass::views
