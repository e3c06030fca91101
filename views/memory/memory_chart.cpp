#include "views/memory/memory_chart.h"

#include "core/runtime/memory_budget.h"
#include "views/elided_name.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"
#include "views/widgets/round_step.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace loopglass::views {
namespace {

constexpr int left_margin = 74, right_margin = 14, top_margin = 26, bottom_margin = 38;
constexpr double largest_zoom = 400;

QString bytes_text(std::int64_t bytes) {
  return QString::fromStdString(runtime::readable_bytes(bytes));
}

// Of what is counted in whole numbers.
double whole_step(double length, int count, double base) {
  return std::max(1.0, round_step(length, std::max(count, 1), base));
}

}  // namespace

MemoryChart::MemoryChart(QWidget* parent) : QAbstractScrollArea(parent) {
  setObjectName("memoryChart");
  setAccessibleName(tr("Buffer lifetimes"));
  setAccessibleDescription(
      tr("A rectangle for each intermediate; the arrow keys go through them."));
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setMinimumSize(240, 140);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, viewport(),
          qOverload<>(&QWidget::update));
}

void MemoryChart::set_content(Content content) {
  content_ = std::move(content);
  written_over_.clear();
  if (content_.plan) {
    std::set<graph::ValueId> over;
    for (const auto& buffer : content_.plan->buffers)
      if (buffer.in_place_of.valid()) over.insert(buffer.in_place_of);
    for (const auto& buffer : content_.plan->buffers)
      written_over_.push_back(over.contains(buffer.value));
  }
  zoom_ = 1;
  update_scroll_bar();
  viewport()->update();
}

void MemoryChart::set_marks(Marks marks) {
  marks_ = std::move(marks);
  if (const auto marked = marked_buffer()) reveal(*marked);
  viewport()->update();
}

// --- geometry ---

QRectF MemoryChart::plot() const {
  return QRectF(viewport()->rect())
      .adjusted(left_margin, top_margin, -right_margin, -bottom_margin);
}

double MemoryChart::column_width() const {
  const std::size_t kernels = content_.plan ? content_.plan->kernels : 1;
  return std::max(plot().width(), 1.0) * zoom_ /
         static_cast<double>(std::max<std::size_t>(kernels, 1));
}

double MemoryChart::x_of(double kernel) const {
  return plot().left() + kernel * column_width() - horizontalScrollBar()->value();
}

double MemoryChart::y_of(double bytes) const {
  const auto whole = static_cast<double>(std::max<std::int64_t>(content_.plan->arena_bytes, 1));
  return plot().bottom() - bytes / whole * plot().height();
}

QRectF MemoryChart::rectangle(std::size_t index) const {
  const runtime::PlannedBuffer& buffer = content_.plan->buffers[index];
  const double begin = buffer.first + (buffer.in_place_of.valid() ? 0.5 : 0);
  const double end = buffer.last + (written_over_[index] ? 0.5 : 1);
  const auto offset = static_cast<double>(buffer.offset);
  return {QPointF(x_of(begin), y_of(offset + static_cast<double>(buffer.bytes))),
          QPointF(x_of(end), y_of(offset))};
}

std::optional<std::size_t> MemoryChart::buffer_at(const QPointF& position) const {
  if (!content_.plan || !plot().contains(position)) return std::nullopt;
  for (std::size_t b = 0; b < content_.plan->buffers.size(); ++b)
    if (rectangle(b).contains(position)) return b;
  return std::nullopt;
}

std::optional<int> MemoryChart::kernel_at(double x) const {
  if (!content_.plan || x < plot().left() || x > plot().right()) return std::nullopt;
  const int kernel =
      static_cast<int>((x - plot().left() + horizontalScrollBar()->value()) / column_width());
  if (kernel < 0 || kernel >= static_cast<int>(content_.plan->kernels)) return std::nullopt;
  return kernel;
}

void MemoryChart::update_scroll_bar() {
  const int visible = std::max(static_cast<int>(plot().width()), 1);
  horizontalScrollBar()->setPageStep(visible);
  horizontalScrollBar()->setSingleStep(std::max(static_cast<int>(column_width()), 8));
  horizontalScrollBar()->setRange(0, static_cast<int>(visible * (zoom_ - 1)));
}

void MemoryChart::set_zoom(double zoom) {
  // What is in the middle stays there.
  const double middle = (horizontalScrollBar()->value() + plot().width() / 2) / zoom_;
  zoom_ = std::clamp(zoom, 1.0, largest_zoom);
  update_scroll_bar();
  horizontalScrollBar()->setValue(static_cast<int>(middle * zoom_ - plot().width() / 2));
  viewport()->update();
}

void MemoryChart::resizeEvent(QResizeEvent*) { update_scroll_bar(); }

// --- painting ---

void MemoryChart::paintEvent(QPaintEvent*) {
  QPainter painter(viewport());
  paint(painter);
}

void MemoryChart::paint(QPainter& painter) {
  painter.fillRect(viewport()->rect(), theme().surface);
  painted_ = 0;
  if (!content_.plan) return;
  painter.setFont(theme().small_font());
  if (content_.plan->buffers.empty()) {
    painter.setPen(theme().muted);
    painter.drawText(viewport()->rect(), Qt::AlignCenter,
                     tr("This network has no intermediates: one kernel does it all."));
    return;
  }
  paint_grid(painter);
  painter.save();
  painter.setClipRect(plot().adjusted(-1, -1, 1, 1));
  paint_columns(painter);
  paint_buffers(painter);
  painter.restore();
  paint_lines(painter);
}

void MemoryChart::paint_grid(QPainter& painter) const {
  const QRectF area = plot();
  const Theme& t = theme();
  painter.setPen(t.border);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  painter.drawLine(area.topLeft(), area.bottomLeft());
  painter.setPen(t.muted);
  const double kernels = area.width() / column_width();
  const auto step =
      static_cast<std::int64_t>(whole_step(kernels, static_cast<int>(area.width() / 60), 10));
  const auto first =
      static_cast<std::int64_t>(horizontalScrollBar()->value() / column_width()) / step * step;
  for (std::int64_t k = first; k < static_cast<std::int64_t>(content_.plan->kernels); k += step) {
    const double x = x_of(static_cast<double>(k) + 0.5);
    if (x > area.right()) break;
    if (x >= area.left())
      painter.drawText(QRectF(x - 30, area.bottom() + 2, 60, 15), Qt::AlignCenter,
                       QString::number(k));
  }
  painter.drawText(QRectF(area.left(), area.bottom() + 17, area.width(), 16), Qt::AlignCenter,
                   tr("kernels in the order in which they run"));
  const auto whole = static_cast<double>(content_.plan->arena_bytes);
  const double tick = whole_step(whole, static_cast<int>(area.height() / 40), 1024);
  for (double bytes = 0; bytes <= whole; bytes += tick) {
    const double y = y_of(bytes);
    painter.setPen(t.border);
    painter.drawLine(QPointF(area.left() - 4, y), QPointF(area.left(), y));
    painter.setPen(t.muted);
    painter.drawText(QRectF(0, y - 8, left_margin - 8, 16), Qt::AlignRight | Qt::AlignVCenter,
                     bytes_text(static_cast<std::int64_t>(bytes)));
  }
}

void MemoryChart::paint_columns(QPainter& painter) const {
  for (const fusion::GroupId group : marks_.groups)
    painter.fillRect(
        QRectF(x_of(group.value), plot().top(), std::max(column_width(), 1.0), plot().height()),
        theme().related);
}

void MemoryChart::paint_buffers(QPainter& painter) {
  const Theme& t = theme();
  const QRectF area = plot();
  const auto& buffers = content_.plan->buffers;
  const auto marked = marked_buffer();
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const QRectF rectangle = this->rectangle(b);
    if (rectangle.right() < area.left() || rectangle.left() > area.right()) continue;
    ++painted_;
    const fusion::Group& writer =
        content_.groups->groups[static_cast<std::size_t>(buffers[b].first)];
    const ops::Family family = content_.graph->node(writer.anchor).op->family;
    const bool related = marks_.groups.contains(writer.id);
    painter.fillRect(rectangle, t.family(family));
    paint_shared(painter, b);
    painter.setPen(QPen(related ? t.mark : t.surface, related ? 2 : 1));
    painter.drawRect(rectangle);
    // Names only where there is room for some of them.
    if (rectangle.width() < 46 || rectangle.height() < 15) continue;
    const QRectF inside = rectangle.intersected(area).adjusted(5, 1, -5, -1);
    // The operator's name, for its result's may end in a layout.
    const graph::NodeId producer = content_.graph->value(buffers[b].value).producer;
    const QString mark = buffers[b].in_place_of.valid() ? " ↻" : "";
    const QFontMetricsF metrics(painter.font());
    const QString name = QString::fromStdString(content_.graph->node(producer).name);
    const QString label =
        elided_name(name, {}, metrics, inside.width() - metrics.horizontalAdvance(mark));
    if (!is_telling(label, name)) continue;
    // Lines between what shares it go on behind.
    QRectF behind = metrics.boundingRect(inside, Qt::AlignCenter, label + mark);
    painter.fillRect(behind.intersected(rectangle).adjusted(1, 1, -1, -1), t.family(family));
    painter.setPen(t.family_text(family));
    painter.drawText(inside, Qt::AlignCenter, label + mark);
  }
  if (!marked) return;
  painter.setPen(QPen(t.mark, 3));
  painter.drawRect(rectangle(*marked).adjusted(1, 1, -1, -1));
}

// Where values that lie in a buffer begin, if they are runs of it.
void MemoryChart::paint_shared(QPainter& painter, std::size_t buffer) const {
  const QRectF whole = rectangle(buffer);
  if (whole.height() < 8) return;
  painter.setPen(QPen(theme().surface, 1, Qt::DotLine));
  for (const placement::SharedValue* shared : shared_in(buffer)) {
    if (!shared->dense || shared->place.offset == 0) continue;
    const double y =
        y_of(static_cast<double>(content_.plan->buffers[buffer].offset + shared->place.offset));
    painter.drawLine(QPointF(whole.left(), y), QPointF(whole.right(), y));
  }
}

std::vector<const placement::SharedValue*> MemoryChart::shared_in(std::size_t buffer) const {
  std::vector<const placement::SharedValue*> found;
  for (const placement::SharedValue& shared : content_.plan->shared)
    if (shared.place.buffer == content_.plan->buffers[buffer].value) found.push_back(&shared);
  return found;
}

void MemoryChart::paint_lines(QPainter& painter) const {
  const Theme& t = theme();
  const QRectF area = plot();
  const runtime::MemoryPlan& plan = *content_.plan;
  const double bound = y_of(static_cast<double>(plan.lower_bound));
  painter.setPen(QPen(t.text, 1.5));
  painter.drawLine(area.topLeft(), area.topRight());
  painter.setPen(QPen(t.accent, 1.5, Qt::DashLine));
  painter.drawLine(QPointF(area.left(), bound), QPointF(area.right(), bound));
  const QRectF above(area.left(), 2, area.width(), top_margin - 4);
  painter.setPen(t.text);
  painter.drawText(above, Qt::AlignLeft | Qt::AlignVCenter,
                   tr("— arena %1").arg(bytes_text(plan.arena_bytes)));
  painter.setPen(t.accent);
  painter.drawText(above, Qt::AlignRight | Qt::AlignVCenter,
                   tr("- - lower bound %1").arg(bytes_text(plan.lower_bound)));
}

// --- mouse and keyboard ---

QString MemoryChart::name_of(graph::ValueId value) const {
  return QString::fromStdString(content_.graph->value(value).name);
}

QString MemoryChart::describe(std::size_t index) const {
  const runtime::PlannedBuffer& buffer = content_.plan->buffers[index];
  const auto kernel = [&](int position) {
    return QString("%1 (%2)").arg(position).arg(
        QString::fromStdString(content_.groups->groups[static_cast<std::size_t>(position)].name));
  };
  QString text =
      tr("%1: %2, %3\nwritten by kernel %4\nlast read by kernel %5\noffset %6")
          .arg(name_of(buffer.value),
               QString::fromStdString(to_string(content_.graph->value(buffer.value).type)),
               bytes_text(buffer.bytes), kernel(buffer.first), kernel(buffer.last))
          .arg(buffer.offset);
  if (buffer.in_place_of.valid()) text += tr("\nwritten over %1").arg(name_of(buffer.in_place_of));
  for (const placement::SharedValue* shared : shared_in(index))
    text += tr("\nholds %1 at %2%3")
                .arg(name_of(shared->value))
                .arg(shared->place.offset)
                .arg(shared->dense ? QString() : tr(", in rows"));
  return text;
}

bool MemoryChart::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const auto buffer = buffer_at(help->pos()))
    QToolTip::showText(help->globalPos(), describe(*buffer), viewport());
  else if (const auto kernel = kernel_at(help->pos().x()))
    QToolTip::showText(
        help->globalPos(),
        tr("kernel %1 (%2): %3 alive")
            .arg(*kernel)
            .arg(QString::fromStdString(
                     content_.groups->groups[static_cast<std::size_t>(*kernel)].name),
                 bytes_text(content_.plan->live[static_cast<std::size_t>(*kernel)])),
        viewport());
  else QToolTip::hideText();
  return true;
}

void MemoryChart::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return;
  if (const auto buffer = buffer_at(event->position())) return choose(*buffer);
  if (const auto kernel = kernel_at(event->position().x()))
    emit kernelChosen(fusion::GroupId{static_cast<std::uint32_t>(*kernel)});
}

void MemoryChart::wheelEvent(QWheelEvent* event) {
  if (event->modifiers() & Qt::ControlModifier) {
    set_zoom(zoom_ * std::pow(1.0015, event->angleDelta().y()));
    event->accept();
    return;
  }
  const QPoint delta = event->angleDelta();
  const int along = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() - along);
}

void MemoryChart::keyPressEvent(QKeyEvent* event) {
  if (!content_.plan || content_.plan->buffers.empty())
    return QAbstractScrollArea::keyPressEvent(event);
  const auto action = action_of(chart_keys(), *event);
  if (!action) return QAbstractScrollArea::keyPressEvent(event);
  switch (static_cast<ChartAction>(*action)) {
    case ChartAction::Next: return step(1);
    case ChartAction::Previous: return step(-1);
    case ChartAction::Above: return step_across(1);
    case ChartAction::Below: return step_across(-1);
    case ChartAction::First: return choose(0);
    case ChartAction::Last: return choose(content_.plan->buffers.size() - 1);
    case ChartAction::ZoomIn: return set_zoom(zoom_ * 1.5);
    case ChartAction::ZoomOut: return set_zoom(zoom_ / 1.5);
    case ChartAction::Whole: return set_zoom(1);
  }
}

std::optional<std::size_t> MemoryChart::marked_buffer() const {
  if (!content_.plan || !marks_.value.valid()) return std::nullopt;
  const auto& shared = content_.plan->shared;
  const auto lies = std::find_if(
      shared.begin(), shared.end(),
      [&](const placement::SharedValue& value) { return value.value == marks_.value; });
  const runtime::PlannedBuffer* found =
      content_.plan->find(lies == shared.end() ? marks_.value : lies->place.buffer);
  if (!found) return std::nullopt;
  return static_cast<std::size_t>(found - content_.plan->buffers.data());
}

// To the buffer written before or after the marked one.
void MemoryChart::step(int by) {
  const auto marked = marked_buffer();
  const auto count = static_cast<std::ptrdiff_t>(content_.plan->buffers.size());
  const std::ptrdiff_t wanted = marked ? static_cast<std::ptrdiff_t>(*marked) + by : 0;
  if (wanted >= 0 && wanted < count) choose(static_cast<std::size_t>(wanted));
}

// To the nearest buffer above or below that is alive with the marked one.
void MemoryChart::step_across(int by) {
  const auto marked = marked_buffer();
  if (!marked) return choose(0);
  const auto& buffers = content_.plan->buffers;
  const runtime::PlannedBuffer& from = buffers[*marked];
  std::optional<std::size_t> nearest;
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    if (buffers[b].last < from.first || buffers[b].first > from.last) continue;
    const std::int64_t distance = (buffers[b].offset - from.offset) * by;
    if (distance > 0 && (!nearest || distance < (buffers[*nearest].offset - from.offset) * by))
      nearest = b;
  }
  if (nearest) choose(*nearest);
}

void MemoryChart::choose(std::size_t buffer) {
  emit bufferChosen(content_.plan->buffers[buffer].value);
}

void MemoryChart::reveal(std::size_t buffer) {
  const QRectF wanted = rectangle(buffer), area = plot();
  if (wanted.left() < area.right() && wanted.right() > area.left()) return;
  horizontalScrollBar()->setValue(horizontalScrollBar()->value() +
                                  static_cast<int>(wanted.center().x() - area.center().x()));
}

}  // namespace loopglass::views
