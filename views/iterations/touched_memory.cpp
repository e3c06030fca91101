#include "views/iterations/touched_memory.h"

#include "core/locality/reuse.h"
#include "views/iterations/freshness.h"
#include "views/text.h"
#include "views/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace loopglass::views {
namespace {

constexpr int sheet_edge = 6, sheet_gap = 12, sheet_label_gap = 4;
constexpr double largest_element = 18;
constexpr int row_of_a_vector = 64;  // elements of what has one dimension

// A buffer as rows of its last dimensions: of so many that it is as square as can be.
struct Sheet {
  std::int64_t columns = 1, rows = 1;

  explicit Sheet(const Shape& shape) {
    const std::int64_t elements = std::max<std::int64_t>(1, element_count(shape));
    if (shape.size() < 2) {
      columns = std::min<std::int64_t>(row_of_a_vector, elements);
      rows = (elements + columns - 1) / columns;
      return;
    }
    const auto unevenness = [&](std::int64_t wide) {
      return std::abs(std::log(double(wide) * double(wide) / double(elements)));
    };
    std::int64_t wide = std::max<std::int64_t>(1, shape.back());
    columns = wide;
    for (std::size_t d = shape.size() - 1; d-- > 1;) {
      wide *= std::max<std::int64_t>(1, shape[d]);
      if (unevenness(wide) < unevenness(columns)) columns = wide;
    }
    rows = elements / columns;
  }
};

int title_height() { return QFontMetrics(theme().small_font()).height() + sheet_label_gap; }

}  // namespace

TouchedMemory::TouchedMemory(QWidget* parent) : QWidget(parent) { setObjectName("touchedMemory"); }

void TouchedMemory::show_iterations(Shown iterations) {
  iterations_ = std::move(iterations);
  show_step(step_);
}

void TouchedMemory::show_step(int step) {
  const int last = iterations_ ? static_cast<int>(iterations_->steps.size()) - 1 : 0;
  step_ = std::clamp(step, 0, std::max(0, last));
  update();
}

// In as many columns as let the largest of them be drawn largest.
void TouchedMemory::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), theme().surface);
  if (!iterations_ || iterations_->buffers.empty()) return;
  const auto count = static_cast<int>(iterations_->buffers.size());
  const auto room_of = [&](int columns) {
    const int rows = (count + columns - 1) / columns;
    return QSizeF((width() - 2 * sheet_edge - (columns - 1) * sheet_gap) / double(columns),
                  (height() - 2 * sheet_edge - (rows - 1) * sheet_gap) / double(rows));
  };
  const auto least_scale = [&](int columns) {
    const QSizeF room = room_of(columns);
    double least = largest_element;
    for (const auto& buffer : iterations_->buffers) {
      const Sheet sheet(buffer.shape);
      least = std::min({least, room.width() / double(sheet.columns),
                        (room.height() - title_height()) / double(sheet.rows)});
    }
    return least;
  };
  int columns = 1;
  for (int tried = 2; tried <= count; ++tried)
    if (least_scale(tried) > least_scale(columns)) columns = tried;
  const QSizeF room = room_of(columns);
  for (int buffer = 0; buffer < count; ++buffer)
    paint_buffer(painter, static_cast<std::uint32_t>(buffer),
                 {QPointF(sheet_edge + buffer % columns * (room.width() + sheet_gap),
                          sheet_edge + buffer / columns * (room.height() + sheet_gap)),
                  room});
}

void TouchedMemory::paint_buffer(QPainter& painter, std::uint32_t index, const QRectF& room) const {
  const Theme& t = theme();
  const auto& buffer = iterations_->buffers[index];
  QStringList extents;
  for (const std::int64_t extent : buffer.shape) extents << QString::number(extent);
  painter.setFont(t.small_font());
  const QFontMetrics metrics(t.small_font());
  painter.setPen(t.text);
  painter.drawText(QPointF(room.left(), room.top() + metrics.ascent()),
                   metrics.elidedText(text(buffer.name) + "  " + extents.join("×"), Qt::ElideMiddle,
                                      static_cast<int>(room.width())));
  const Sheet sheet(buffer.shape);
  const double top = room.top() + title_height();
  const double size = std::min({largest_element, room.width() / double(sheet.columns),
                                (room.bottom() - top) / double(sheet.rows)});
  const QRectF whole(room.left(), top, std::max(1.0, size * double(sheet.columns)),
                     std::max(1.0, size * double(sheet.rows)));
  painter.fillRect(whole, mixed(t.surface, t.text, 0.06));
  const auto box_of = [&](std::int64_t row, std::int64_t column, std::int64_t columns) {
    QRectF box(whole.left() + double(column) * size, whole.top() + double(row) * size,
               double(columns) * size, size);
    constexpr double least = 1;  // a pixel
    if (box.width() < least) box.setWidth(least);
    if (box.height() < least) box.setHeight(least);
    return box;
  };
  const std::int64_t elements = element_count(buffer.shape),
                     of_line =
                         std::max<std::int64_t>(1, locality::line_bytes / buffer.element_bytes);
  const auto paint_elements = [&](std::int64_t from, std::int64_t to, const QColor& color) {
    for (std::int64_t at = from; at < std::min(to, elements);) {
      const std::int64_t row = at / sheet.columns, column = at % sheet.columns;
      const std::int64_t here = std::min(std::min(to, elements) - at, sheet.columns - column);
      painter.fillRect(box_of(row, column, here), color);
      at += here;
    }
  };
  std::unordered_map<std::int64_t, int> last;  // step, by line
  for (int step = 0; step <= step_; ++step)
    for (const locality::Touch& touch : iterations_->steps[static_cast<std::size_t>(step)].touches)
      if (touch.buffer == index) last[touch.element / of_line] = step;
  for (const auto& [line, step] : last) {
    const double fresh = freshness(step, step_);
    paint_elements(line * of_line, (line + 1) * of_line,
                   mixed(t.surface, t.accent, 0.22 + 0.3 * fresh));
  }
  const double least = 4;  // or it would not be found
  for (const locality::Touch& touch : iterations_->steps[static_cast<std::size_t>(step_)].touches) {
    if (touch.buffer != index) continue;
    QRectF box = box_of(touch.element / sheet.columns, touch.element % sheet.columns, 1);
    const double grow = std::max(0.0, (least - std::min(box.width(), box.height())) / 2);
    painter.fillRect(box.adjusted(-grow, -grow, grow, grow), touch.stores ? t.mark : t.good);
  }
}

}  // namespace loopglass::views
