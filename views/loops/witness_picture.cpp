#include "views/loops/witness_picture.h"

#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/arrow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <QPainter>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr int picture_edge = 8, picture_gap = 6, picture_cell = 18;
constexpr std::int64_t most_cells = 10;  // along an axis; what lies between is left out beyond

QString visit_line(const schedule::Visit& visit, const schedule::Witness& witness) {
  return text(schedule::visit_words(visit, witness));
}

// The element first, then the loops in which the two differ: what is left over may be cut.
QString short_line(const schedule::Visit& visit, const schedule::Visit& other,
                   const schedule::Witness& witness) {
  std::vector<std::string> loops;
  for (const auto& [loop, value] : visit.loops)
    loops.push_back(fmt::format("{} = {}", loop, value));
  std::ranges::stable_partition(loops, [&](const std::string& mine) {
    return std::ranges::none_of(other.loops, [&](const auto& theirs) {
      return fmt::format("{} = {}", theirs.first, theirs.second) == mine;
    });
  });
  return text(fmt::format("{} {}[{}] at {}", visit.stores ? "stores" : "reads", witness.buffer,
                          fmt::join(witness.element, ", "), fmt::join(loops, ", ")));
}

}  // namespace

std::int64_t WitnessPicture::Axis::count() const {
  return std::min(most_cells, std::max(first, second) + 2 - from());
}

WitnessPicture::WitnessPicture(QWidget* parent) : QWidget(parent) {
  setObjectName("witnessPicture");
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  hide();
}

// Those in which they differ before the others, inner ones before outer ones.
std::vector<WitnessPicture::Axis> WitnessPicture::axes_of(const schedule::Witness& witness) {
  std::vector<Axis> axes;
  for (const auto& [loop, value] : witness.first.loops)
    for (const auto& [other, theirs] : witness.second.loops)
      if (loop == other) axes.push_back({loop, value, theirs});
  std::vector<std::size_t> order;
  for (std::size_t k = axes.size(); k-- > 0;) order.push_back(k);
  std::ranges::stable_partition(order,
                                [&](std::size_t k) { return axes[k].first != axes[k].second; });
  if (order.size() > 2) order.resize(2);
  std::ranges::sort(order);
  std::vector<Axis> chosen;
  for (const std::size_t k : order) chosen.push_back(axes[k]);
  return chosen;
}

void WitnessPicture::show_witness(std::optional<schedule::Witness> witness) {
  witness_ = std::move(witness);
  axes_ = witness_ ? axes_of(*witness_) : std::vector<Axis>();
  setVisible(!axes_.empty());
  setAccessibleDescription(axes_.empty() ? QString()
                                         : visit_line(witness_->first, *witness_) + "; " +
                                               visit_line(witness_->second, *witness_));
  setToolTip(accessibleDescription().toHtmlEscaped());
  updateGeometry();
  update();
}

QSize WitnessPicture::sizeHint() const {
  const int line = QFontMetrics(theme().small_font()).height();
  const auto rows = axes_.size() > 1 ? axes_.front().count() : 1;
  return {320, 2 * picture_edge + line + picture_gap + static_cast<int>(rows) * picture_cell};
}

void WitnessPicture::paintEvent(QPaintEvent*) {
  if (axes_.empty()) return;
  QPainter painter(this);
  const Theme& t = theme();
  painter.fillRect(rect(), t.surface);
  painter.setFont(t.small_font());
  const QFontMetrics metrics(t.small_font());
  const Axis& across = axes_.back();
  const Axis* down = axes_.size() > 1 ? &axes_.front() : nullptr;
  const QString down_label = down ? text(down->loop) + " ↓" : QString();
  const int left = picture_edge + (down ? metrics.horizontalAdvance(down_label) + picture_gap : 0),
            top = picture_edge + metrics.height() + picture_gap;
  const auto columns = across.count(), rows = down ? down->count() : 1;
  const QRectF grid(left, top, double(columns * picture_cell), double(rows * picture_cell));

  painter.fillRect(grid, mixed(t.surface, t.text, 0.06));
  painter.setPen(QPen(t.border, 1));
  for (std::int64_t column = 0; column <= columns; ++column)
    painter.drawLine(QPointF(left + double(column * picture_cell), grid.top()),
                     QPointF(left + double(column * picture_cell), grid.bottom()));
  for (std::int64_t row = 0; row <= rows; ++row)
    painter.drawLine(QPointF(grid.left(), top + double(row * picture_cell)),
                     QPointF(grid.right(), top + double(row * picture_cell)));
  painter.setPen(t.muted);
  painter.drawText(QPointF(left, picture_edge + metrics.ascent()), text(across.loop) + " →");
  if (down) painter.drawText(QPointF(picture_edge, top + metrics.ascent()), down_label);

  const auto place = [&](bool is_first) {
    const auto along = [&](const Axis& axis) {
      const std::int64_t value = is_first ? axis.first : axis.second;
      return std::clamp<std::int64_t>(value - axis.from(), 0, axis.count() - 1);
    };
    return QRectF(left + double(along(across) * picture_cell),
                  top + (down ? double(along(*down) * picture_cell) : 0), picture_cell,
                  picture_cell);
  };
  const QRectF first = place(true), second = place(false);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const auto& [box, color] : {std::pair(first, t.accent), std::pair(second, t.error)}) {
    painter.fillRect(box.adjusted(1, 1, -1, -1), mixed(t.surface, color, 0.45));
    painter.setPen(QPen(color, 2));
    painter.drawRect(box.adjusted(1, 1, -1, -1));
  }
  painter.setPen(QPen(t.text, 2));
  draw_arrow(painter, first.center(), second.center(), 8);

  const double words = grid.right() + 2 * picture_gap;
  const int room = static_cast<int>(width() - words) - picture_edge;
  int line = top;
  const auto say = [&](const QColor& color, const QString& number, const schedule::Visit& visit,
                       const schedule::Visit& other) {
    painter.fillRect(QRectF(words, line + 3, 9, 9), mixed(t.surface, color, 0.45));
    painter.setPen(t.text);
    painter.drawText(QPointF(words + 15, line + metrics.ascent()),
                     metrics.elidedText(number + short_line(visit, other, *witness_),
                                        Qt::ElideRight, std::max(0, room - 15)));
    line += metrics.height() + 2;
  };
  line = picture_edge;
  say(t.accent, tr("first "), witness_->first, witness_->second);
  say(t.error, tr("then "), witness_->second, witness_->first);
}

}  // namespace loopglass::views
