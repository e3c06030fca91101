#include "views/iterations/iteration_grid.h"

#include "views/iterations/freshness.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/arrow.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace loopglass::views {
namespace {

constexpr int grid_edge = 6, grid_label_gap = 4;
constexpr double largest_cell = 26;
constexpr std::size_t most_arrows = 600;  // beyond them one sees none

}  // namespace

IterationGrid::IterationGrid(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setObjectName("iterationGrid");
}

void IterationGrid::show_iterations(Shown iterations, int down, int across) {
  if (iterations_ != iterations) dependences_ = nullptr;
  iterations_ = std::move(iterations);
  down_ = down == across ? -1 : down;
  across_ = across;
  show_step(step_);
}

void IterationGrid::show_dependences(Arrows dependences) {
  dependences_ = std::move(dependences);
  update();
}

void IterationGrid::show_step(int step) {
  const int last = iterations_ ? static_cast<int>(iterations_->steps.size()) - 1 : 0;
  step_ = std::clamp(step, 0, std::max(0, last));
  update();
}

int IterationGrid::rows() const {
  return down_ < 0 ? 1
                   : static_cast<int>(iterations_->axes[static_cast<std::size_t>(down_)].extent);
}
int IterationGrid::columns() const {
  return across_ < 0
             ? 1
             : static_cast<int>(iterations_->axes[static_cast<std::size_t>(across_)].extent);
}

IterationGrid::Cell IterationGrid::cell_of(int step) const {
  const auto& values = iterations_->steps[static_cast<std::size_t>(step)].values;
  const auto value = [&](int axis) {
    return axis < 0 ? 0 : static_cast<int>(values[static_cast<std::size_t>(axis)]);
  };
  return {value(down_), value(across_)};
}

// From the upper left, with cells that are square where there is room for it.
QRectF IterationGrid::area() const {
  const QFontMetrics metrics(theme().small_font());
  const int left = grid_edge + (down_ < 0 ? 0 : metrics.height() + grid_label_gap),
            top = grid_edge + metrics.height() + grid_label_gap;
  constexpr double most_uneven = 4;
  double wide = std::min(largest_cell, double(width() - left - grid_edge) / columns()),
         high = std::min(largest_cell, double(height() - top - grid_edge) / rows());
  wide = std::min(wide, most_uneven * high);
  high = std::min(high, most_uneven * wide);
  return {double(left), double(top), std::max(1.0, wide * columns()), std::max(1.0, high * rows())};
}

void IterationGrid::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& t = theme();
  painter.fillRect(rect(), t.surface);
  if (!iterations_ || iterations_->steps.empty()) return;
  const QRectF grid = area();
  const double wide = grid.width() / columns(), high = grid.height() / rows();
  const auto box_of = [&](Cell cell) {
    return QRectF(grid.left() + cell.column * wide, grid.top() + cell.row * high, wide, high);
  };
  painter.fillRect(grid, mixed(t.surface, t.text, 0.06));
  std::vector<int> last(static_cast<std::size_t>(rows()) * static_cast<std::size_t>(columns()), -1);
  for (int step = 0; step <= step_; ++step) {
    const Cell cell = cell_of(step);
    last[static_cast<std::size_t>(cell.row) * static_cast<std::size_t>(columns()) +
         static_cast<std::size_t>(cell.column)] = step;
  }
  const bool apart = wide >= 5 && high >= 5;
  for (int row = 0; row < rows(); ++row)
    for (int column = 0; column < columns(); ++column) {
      const int visit = last[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns()) +
                             static_cast<std::size_t>(column)];
      if (visit < 0) continue;
      const double fresh = freshness(visit, step_);
      QRectF box = box_of({row, column});
      if (apart) box.adjust(0.5, 0.5, -0.5, -0.5);
      painter.fillRect(box, mixed(t.surface, t.accent, 0.28 + 0.5 * fresh));
    }
  if (apart) {
    painter.setPen(QPen(t.border, 0));
    for (int column = 0; column <= columns(); ++column)
      painter.drawLine(QPointF(grid.left() + column * wide, grid.top()),
                       QPointF(grid.left() + column * wide, grid.bottom()));
    for (int row = 0; row <= rows(); ++row)
      painter.drawLine(QPointF(grid.left(), grid.top() + row * high),
                       QPointF(grid.right(), grid.top() + row * high));
  }
  const double least = 7;  // or it would not be found
  QRectF now = box_of(cell_of(step_));
  const double grow_x = std::max(0.0, (least - now.width()) / 2),
               grow_y = std::max(0.0, (least - now.height()) / 2);
  now.adjust(-grow_x, -grow_y, grow_x, grow_y);
  painter.setPen(QPen(t.mark, 2));
  painter.drawRect(now);
  paint_arrows(painter);

  painter.setFont(t.small_font());
  painter.setPen(t.muted);
  const auto words = [&](int index) {
    const locality::Iterations::Axis& axis = iterations_->axes[static_cast<std::size_t>(index)];
    const QString seen = QString::number(axis.extent), whole = text(axis.whole_extent);
    return seen == whole ? QString("%1 → %2").arg(text(axis.name), seen)
                         : tr("%1 → %2 of %3").arg(text(axis.name), seen, whole);
  };
  if (across_ >= 0)
    painter.drawText(
        QPointF(grid.left(), grid.top() - grid_label_gap - painter.fontMetrics().descent()),
        words(across_));
  if (down_ < 0) return;
  // The loop's name above all.
  const double room = height() - grid.top();
  const QString whole = words(down_);
  const bool fits = painter.fontMetrics().horizontalAdvance(whole) <= room;
  painter.rotate(-90);
  painter.drawText(QRectF(-height(), 0, room, grid.left() - grid_label_gap),
                   Qt::AlignRight | Qt::AlignBottom,
                   fits ? whole : text(iterations_->axes[static_cast<std::size_t>(down_)].name));
}

QPointF IterationGrid::center_of(Cell cell) const {
  const QRectF grid = area();
  return {grid.left() + (cell.column + 0.5) * grid.width() / columns(),
          grid.top() + (cell.row + 0.5) * grid.height() / rows()};
}

void IterationGrid::paint_arrows(QPainter& painter) const {
  if (!dependences_) return;
  const Theme& t = theme();
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const auto draw = [&](const locality::Carried& carried, const QColor& color, double width) {
    const Cell from = cell_of(static_cast<int>(carried.from)),
               to = cell_of(static_cast<int>(carried.to));
    if (from == to) return;
    QPen pen(color, width);
    if (carried.kind == locality::Dependence::Anti) pen.setStyle(Qt::DashLine);
    if (carried.kind == locality::Dependence::Output) pen.setStyle(Qt::DotLine);
    painter.setPen(pen);
    draw_arrow(painter, center_of(from), center_of(to), 3 + 2 * width);
  };
  // Terms of a sum may change places: they wait for nobody in earnest.
  const auto color_of = [&](const locality::Carried& carried) {
    return carried.of_sum ? t.muted : t.text;
  };
  if (dependences_->all().size() <= most_arrows)
    for (const locality::Carried& carried : dependences_->all()) {
      if (carried.to >= static_cast<std::size_t>(step_)) break;
      draw(carried, mixed(t.surface, color_of(carried), 0.55), 1);
    }
  for (const locality::Carried& carried : dependences_->into(static_cast<std::size_t>(step_)))
    draw(carried, color_of(carried), 2);
  painter.restore();
}

std::optional<IterationGrid::Cell> IterationGrid::cell_at(const QPoint& place) const {
  if (!iterations_ || iterations_->steps.empty()) return std::nullopt;
  const QRectF grid = area();
  if (!grid.contains(place)) return std::nullopt;
  return Cell{
      std::min(rows() - 1, static_cast<int>((place.y() - grid.top()) * rows() / grid.height())),
      std::min(columns() - 1,
               static_cast<int>((place.x() - grid.left()) * columns() / grid.width()))};
}

std::vector<int> IterationGrid::visits_of(Cell cell) const {
  std::vector<int> visits;
  for (int step = 0; step < static_cast<int>(iterations_->steps.size()); ++step)
    if (cell_of(step) == cell) visits.push_back(step);
  return visits;
}

void IterationGrid::mousePressEvent(QMouseEvent* event) {
  const auto cell = cell_at(event->pos());
  if (!cell) return;
  const std::vector<int> visits = visits_of(*cell);
  if (visits.empty()) return;
  const auto next = std::upper_bound(visits.begin(), visits.end(), step_);
  emit stepWanted(next == visits.end() ? visits.front() : *next);
}

bool IterationGrid::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const auto cell = cell_at(help->pos());
  if (!cell) {
    QToolTip::hideText();
    return true;
  }
  QStringList words;
  for (const auto& [axis, value] : {std::pair{down_, cell->row}, std::pair{across_, cell->column}})
    if (axis >= 0)
      words << QString("%1 = %2")
                   .arg(text(iterations_->axes[static_cast<std::size_t>(axis)].name))
                   .arg(value);
  const std::vector<int> visits = visits_of(*cell);
  words << (visits.empty() ? tr("not among these iterations")
            : visits.size() == 1
                ? tr("at step %1").arg(visits.front() + 1)
                : tr("%1 times, first at step %2").arg(visits.size()).arg(visits.front() + 1));
  QToolTip::showText(help->globalPos(), words.join(", ").toHtmlEscaped(), this);
  return true;
}

}  // namespace loopglass::views
