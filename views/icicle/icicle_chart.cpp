#include "views/icicle/icicle_chart.h"

#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/counted.h"
#include "views/elided_name.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/title_within.h"

#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr double inset = 8, lowest = 18, highest = 54;

}  // namespace

IcicleChart::IcicleChart(QWidget* parent) : QWidget(parent) {
  setObjectName("icicleChart");
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(160, 80);
  setAccessibleName(tr("Cost by part"));
  setAccessibleDescription(
      tr("Arrow keys go through the parts, Return goes into one, Backspace out again."));
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void IcicleChart::set_cells(std::vector<IcicleCell> cells, IcicleMeasure measure) {
  cells_ = std::move(cells);
  measure_ = measure;
  marked_.assign(cells_.size(), false);
  shown_ = current_ = 0;
  depths_ = 1;
  for (const IcicleCell& cell : cells_) depths_ = std::max(depths_, cell.depth + 1);
  update();
}

void IcicleChart::set_marked(std::vector<bool> marked) {
  marked_ = std::move(marked);
  update();
}

void IcicleChart::show_inside(int cell) {
  if (cell < 0 || static_cast<std::size_t>(cell) >= cells_.size()) return;
  shown_ = current_ = cell;
  update();
}

// What is above the cell that is shown stays above it, as wide as everything.
QRectF IcicleChart::rectangle(int which) const {
  const IcicleCell& cell = cells_[static_cast<std::size_t>(which)];
  const IcicleCell& shown = cells_[static_cast<std::size_t>(shown_)];
  const QRectF room = QRectF(rect()).adjusted(inset, inset, -inset, -inset);
  const double height = std::clamp(room.height() / depths_, lowest, highest);
  const double scale = room.width() / (shown.to - shown.from);
  const double left = std::max(room.left(), room.left() + (cell.from - shown.from) * scale);
  const double right = std::min(room.right(), room.left() + (cell.to - shown.from) * scale);
  return {left, room.top() + cell.depth * height, std::max(0.0, right - left), height};
}

bool IcicleChart::lies_in(int cell, int around) const {
  while (cell >= 0 && cell != around) cell = cells_[static_cast<std::size_t>(cell)].parent;
  return cell == around;
}

// What it shares with the cell above it is the first to go.
QString IcicleChart::name_in(const IcicleCell& cell, const QFontMetricsF& metrics,
                             double room) const {
  const QString whole = text(cell.title);
  if (metrics.horizontalAdvance(whole) <= room) return whole;
  if (cell.parent < 0) return metrics.elidedText(whole, Qt::ElideMiddle, room);
  QString around = text(cells_[static_cast<std::size_t>(cell.parent)].title);
  if (const qsizetype times = around.lastIndexOf(u" ×"); times > 0) around.truncate(times);
  const QString inner = title_within(whole, around);
  if (metrics.horizontalAdvance(inner) <= room) return inner;
  // That something stands before it is said by the cut, too.
  return inner == whole ? metrics.elidedText(inner, Qt::ElideMiddle, room)
                        : metrics.elidedText(inner.mid(1), Qt::ElideLeft, room);
}

void IcicleChart::paintEvent(QPaintEvent*) {
  const Theme& t = theme();
  QPainter painter(this);
  painter.fillRect(rect(), t.surface);
  painter.setFont(t.small_font());
  const QFontMetricsF metrics(painter.font());
  for (int c = 0; c < static_cast<int>(cells_.size()); ++c) {
    const IcicleCell& cell = cells_[static_cast<std::size_t>(c)];
    const QRectF area = rectangle(c);
    if (area.width() < 0.3) continue;
    const QColor fill = color_of ? color_of(cell) : t.raised;
    painter.fillRect(area.width() > 3 ? area.adjusted(0.5, 0.5, -0.5, -0.5) : area, fill);
    if (marked_[static_cast<std::size_t>(c)] || c == current_) {
      painter.setPen(QPen(c == current_ && hasFocus() ? t.mark : t.accent, 2));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(area.adjusted(1, 1, -1, -1));
    }
    if (area.width() < 36) continue;
    painter.setPen(text_on(fill));
    const QRectF inside = area.adjusted(5, 0, -5, 0);
    QString name = name_in(cell, metrics, inside.width());
    if (!is_telling(name, text(cell.title))) name.clear();
    if (area.height() >= 2 * metrics.height() + 2) {
      const QRectF upper(inside.left(), area.center().y() - metrics.height(), inside.width(),
                         metrics.height());
      painter.drawText(upper, Qt::AlignVCenter, name);
      painter.drawText(upper.translated(0, metrics.height()), Qt::AlignVCenter,
                       value_in(cell, metrics, inside.width()));
    } else {
      const QString gap = "  ";
      const QString value =
          value_in(cell, metrics, inside.width() - metrics.horizontalAdvance(name + gap));
      painter.drawText(inside, Qt::AlignVCenter,
                       value.isEmpty()  ? name
                       : name.isEmpty() ? value
                                        : name + gap + value);
    }
  }
}

// A number is said whole or not at all: the share alone where both have no room.
QString IcicleChart::value_in(const IcicleCell& cell, const QFontMetricsF& metrics,
                              double room) const {
  for (const QString& words : {value_text(cell), share_text(cell)})
    if (metrics.horizontalAdvance(words) <= room) return words;
  return {};
}

QString IcicleChart::share_text(const IcicleCell& cell) {
  const double share = 100 * (cell.to - cell.from);
  return tr("%1 %").arg(share, 0, 'f', share < 10 ? 1 : 0);
}

QString IcicleChart::value_text(const IcicleCell& cell) const {
  const QString part = share_text(cell);
  if (measure_ == IcicleMeasure::Arithmetic)
    return tr("%1 · %2").arg(text(readable_flops(static_cast<double>(cell.cost.flops))), part);
  return tr("%1 · %2").arg(text(readable_time(Milliseconds(cell.cost.milliseconds.value_or(0)))),
                           part);
}

QString IcicleChart::tip(const IcicleCell& cell) const {
  QString tip = "<b>" + text(cell.title).toHtmlEscaped() + "</b><br>" + value_text(cell);
  if (cell.cost.milliseconds && *cell.cost.milliseconds > 0)
    tip +=
        "<br>" +
        text(readable_speed(static_cast<double>(cell.cost.flops) / *cell.cost.milliseconds * 1e-6));
  tip += tr("<br>%1 in %2; results %3")
             .arg(counted(cell.cost.operators, "operator"), counted(cell.cost.kernels, "kernel"),
                  text(readable_bytes(cell.cost.bytes)));
  return tip;
}

std::optional<int> IcicleChart::cell_at(QPointF position) const {
  for (int c = 0; c < static_cast<int>(cells_.size()); ++c)
    if (rectangle(c).contains(position)) return c;
  return std::nullopt;
}

void IcicleChart::go_to(int cell) {
  current_ = cell;
  update();
  emit chosen(cell);
}

void IcicleChart::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto cell = cell_at(event->position())) go_to(*cell);
}

void IcicleChart::mouseDoubleClickEvent(QMouseEvent* event) {
  const auto cell = cell_at(event->position());
  if (!cell) return;
  // Into a part; out of the one that is shown.
  const int above = cells_[static_cast<std::size_t>(shown_)].parent;
  show_inside(*cell == shown_ && above >= 0 ? above : *cell);
}

void IcicleChart::keyPressEvent(QKeyEvent* event) {
  if (cells_.empty()) return QWidget::keyPressEvent(event);
  const auto depth_of = [this](int cell) { return cells_[static_cast<std::size_t>(cell)].depth; };
  const auto beside = [&](int by) {
    for (int c = current_ + by; c >= 0 && c < static_cast<int>(cells_.size()); c += by)
      if (depth_of(c) == depth_of(current_) && rectangle(c).width() > 0 &&
          (lies_in(c, shown_) || lies_in(shown_, c)))
        return go_to(c);
  };
  const int parent = cells_[static_cast<std::size_t>(current_)].parent;
  switch (event->key()) {
    case Qt::Key_Left: return beside(-1);
    case Qt::Key_Right: return beside(1);
    case Qt::Key_Up:
      if (parent >= 0) go_to(parent);
      return;
    case Qt::Key_Down:
      for (int c = current_ + 1; c < static_cast<int>(cells_.size()); ++c)
        if (cells_[static_cast<std::size_t>(c)].parent == current_ && rectangle(c).width() > 0)
          return go_to(c);
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter: return show_inside(current_);
    case Qt::Key_Backspace:
    case Qt::Key_Escape:
      if (cells_[static_cast<std::size_t>(shown_)].parent >= 0)
        return show_inside(cells_[static_cast<std::size_t>(shown_)].parent);
      break;
    default: break;
  }
  QWidget::keyPressEvent(event);
}

bool IcicleChart::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto cell = cell_at(help->pos());
    QToolTip::showText(help->globalPos(),
                       cell ? tip(cells_[static_cast<std::size_t>(*cell)]) : QString(), this);
    return true;
  }
  return QWidget::event(event);
}

}  // namespace loopglass::views
