#include "views/bench/round_chart.h"

#include "views/theme.h"

#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLineSeries>
#include <QtCharts/QScatterSeries>
#include <QtCharts/QValueAxis>

#include <algorithm>
#include <cmath>

namespace loopglass::views {

namespace {

// In which the axis shows times up to `most`: numbers below a thousand.
struct Unit {
  double milliseconds;
  const char *name, *symbol;
};
Unit unit_for(double most) {
  if (most >= 1000) return {1000, QT_TRANSLATE_NOOP("RoundChart", "seconds"), "s"};
  if (most >= 1) return {1, QT_TRANSLATE_NOOP("RoundChart", "milliseconds"), "ms"};
  return {1e-3, QT_TRANSLATE_NOOP("RoundChart", "microseconds"), "µs"};
}

// 1, 2 or 5 times a power of ten, near the wish.
double round_step(double wanted) {
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  const double digits = wanted / power;
  return (digits < 1.5 ? 1 : digits < 3.5 ? 2 : digits < 7.5 ? 5 : 10) * power;
}

}  // namespace

RoundChart::RoundChart(QWidget* parent)
    : QChartView(parent),
      rounds_(new QScatterSeries),
      median_(new QLineSeries),
      x_(new QValueAxis),
      y_(new QValueAxis) {
  setRenderHint(QPainter::Antialiasing);
  setFrameShape(QFrame::NoFrame);
  setMinimumSize(260, 100);
  rounds_->setName(tr("round"));
  rounds_->setMarkerSize(8);
  median_->setName(tr("median so far"));
  for (QXYSeries* series : {static_cast<QXYSeries*>(rounds_), static_cast<QXYSeries*>(median_)})
    chart()->addSeries(series);
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  for (QAbstractSeries* series : chart()->series()) {
    series->attachAxis(x_);
    series->attachAxis(y_);
  }
  x_->setLabelFormat("%d");
  y_->setLabelFormat("%.3g");
  chart()->setMargins({2, 2, 2, 2});
  chart()->legend()->setAlignment(Qt::AlignTop);
  chart()->legend()->detachFromChart();  // which places it only where it places the plot
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &RoundChart::apply_theme);
  apply_theme();
  show_rounds({});
}

void RoundChart::apply_theme() {
  const Theme& t = theme();
  setBackgroundBrush(t.surface);
  chart()->setBackgroundBrush(t.surface);
  chart()->setBackgroundRoundness(0);
  chart()->legend()->setLabelColor(t.text);
  chart()->legend()->setFont(t.small_font());
  rounds_->setColor(t.accent);
  rounds_->setBorderColor(t.surface);
  median_->setPen(QPen(t.mark, 2));
  y_->setTitleBrush(t.muted);
  for (QValueAxis* axis : {x_, y_}) {
    axis->setLabelsColor(t.muted);
    axis->setLabelsFont(t.small_font());
    axis->setTitleFont(t.small_font());
    axis->setGridLineColor(t.border);
    axis->setLinePenColor(t.border);
  }
}

void RoundChart::show_rounds(const std::vector<double>& milliseconds) {
  QList<QPointF> rounds, medians;
  std::vector<double> sorted;
  const double most =
      milliseconds.empty() ? 1 : 1.15 * *std::max_element(milliseconds.begin(), milliseconds.end());
  const Unit unit = unit_for(most);
  for (std::size_t i = 0; i < milliseconds.size(); ++i) {
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), milliseconds[i]), milliseconds[i]);
    const double middle = (sorted[sorted.size() / 2] + sorted[(sorted.size() - 1) / 2]) / 2;
    rounds.append({static_cast<double>(i + 1), milliseconds[i] / unit.milliseconds});
    medians.append({static_cast<double>(i + 1), middle / unit.milliseconds});
  }
  rounds_->replace(rounds);
  median_->replace(medians);
  x_->setRange(0.5, std::max<double>(5, static_cast<double>(milliseconds.size())) + 0.5);
  x_->setTickType(QValueAxis::TicksDynamic);
  x_->setTickAnchor(0);
  x_->setTickInterval(
      std::max<double>(1, std::ceil(static_cast<double>(milliseconds.size()) / 10)));
  unit_ = tr(unit.name);
  symbol_ = unit.symbol;
  most_ = most / unit.milliseconds;
  fit(size());
}

// A frame around nothing would be taken for one that failed.
void RoundChart::drawForeground(QPainter* painter, const QRectF& area) {
  QChartView::drawForeground(painter, area);
  if (rounds_->count() > 0) return;
  painter->save();
  painter->resetTransform();
  painter->fillRect(viewport()->rect(), theme().surface);
  painter->setPen(theme().muted);
  painter->drawText(viewport()->rect().adjusted(12, 12, -12, -12),
                    Qt::AlignCenter | Qt::TextWordWrap,
                    tr("Rounds come here as they are timed, each a dot, and their median."));
  painter->restore();
}

void RoundChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  fit(event->size());
}

// Where there is little height it is the curve's: what stands around it would be cut to dots. Qt
// gives numbers less room than they need, so that the plot's place is ours to say.
void RoundChart::fit(const QSizeF& whole) {
  constexpr double least_with_words = 210;
  const bool has_room = whole.height() >= least_with_words;
  chart()->legend()->setVisible(has_room);
  x_->setTitleText(has_room ? tr("round") : QString());
  // What is left of a title without text are dots.
  x_->setTitleBrush(has_room ? QBrush(theme().muted) : QBrush(Qt::transparent));
  y_->setTitleText(has_room ? unit_ : symbol_);
  const QFontMetricsF metrics(theme().small_font());
  const double line = metrics.height(), left = metrics.horizontalAdvance("00000") + line + 12,
               above = has_room ? line + 16 : 8, below = (has_room ? 2 : 1) * line + 12;
  const QRectF plot(left, above, whole.width() - left - 14, whole.height() - above - below);
  if (plot.width() < line || plot.height() < line) return;
  chart()->setPlotArea(plot);
  chart()->legend()->setGeometry(QRectF(left, 0, plot.width(), above));
  constexpr double least = 1e-3;  // where nothing took any time, which is no step
  constexpr double lines_a_step = 2.5, most_steps = 4;
  const double wanted = std::clamp(plot.height() / (lines_a_step * line), 1.0, most_steps);
  double step = round_step(std::max(least, most_ / wanted));
  while (std::ceil(most_ / step) > wanted) step = round_step(2 * step);
  // To a whole number of steps: of an end between two the axis would make room for the number that
  // stands there.
  const int steps = std::max(1, static_cast<int>(std::ceil(most_ / step)));
  y_->setRange(0, steps * step);
  y_->setTickType(QValueAxis::TicksFixed);
  y_->setTickCount(steps + 1);
}

void RoundChart::paint(QPainter& painter, const QSizeF& size) {
  resize(size.toSize());
  chart()->resize(size);
  fit(size);
  scene()->setSceneRect({{}, size});
  scene()->render(&painter, {{}, size}, {{}, size}, Qt::IgnoreAspectRatio);
}

}  // namespace loopglass::views
