#include "views/bench/round_chart.h"

#include "views/theme.h"
#include "views/widgets/round_step.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace loopglass::views {

namespace {

constexpr int least_rounds = 5;  // that there is room for

double middle_of(const std::vector<double>& sorted) {
  return (sorted[sorted.size() / 2] + sorted[(sorted.size() - 1) / 2]) / 2;
}

}  // namespace

// What stands where in a picture of one size.
struct RoundChart::Scale {
  // In which the axis shows times: numbers below a thousand.
  struct Unit {
    double milliseconds;
    const char *name, *symbol;
  };
  static Unit unit_for(double most) {
    if (most >= 1000) return {1000, QT_TRANSLATE_NOOP("RoundChart", "seconds"), "s"};
    if (most >= 1) return {1, QT_TRANSLATE_NOOP("RoundChart", "milliseconds"), "ms"};
    return {1e-3, QT_TRANSLATE_NOOP("RoundChart", "microseconds"), "µs"};
  }

  QRectF plot;
  bool has_words = false;  // room for a legend, and for what the axes are of
  int rounds = least_rounds;
  Unit unit{};
  double step = 1;  // of times, in the unit
  int steps = 1;

  QPointF place(double round, double milliseconds) const {
    return {plot.left() + plot.width() * (round - 0.5) / rounds,
            plot.bottom() - plot.height() * milliseconds / (unit.milliseconds * step * steps)};
  }
};

RoundChart::RoundChart(QWidget* parent) : QWidget(parent) {
  setMinimumSize(260, 100);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void RoundChart::show_rounds(std::vector<double> milliseconds) {
  rounds_ = std::move(milliseconds);
  medians_.clear();
  std::vector<double> sorted;
  for (const double round : rounds_) {
    sorted.insert(std::ranges::upper_bound(sorted, round), round);
    medians_.push_back(middle_of(sorted));
  }
  update();
}

// Where there is little height it is the curve's: what stands around it goes.
RoundChart::Scale RoundChart::scale_for(const QSizeF& size) const {
  constexpr double least_with_words = 210;
  Scale scale;
  scale.has_words = size.height() >= least_with_words;
  const QFontMetricsF metrics(theme().small_font());
  const double line = metrics.height(), left = metrics.horizontalAdvance("00000") + line + 12,
               above = scale.has_words ? line + 16 : 8,
               below = (scale.has_words ? 2 : 1) * line + 12;
  scale.plot = {left, above, std::max(line, size.width() - left - 14),
                std::max(line, size.height() - above - below)};
  scale.rounds = std::max(least_rounds, static_cast<int>(rounds_.size()));
  constexpr double headroom = 1.15;
  const double most = rounds_.empty() ? 1 : headroom * std::ranges::max(rounds_);
  scale.unit = Scale::unit_for(most);
  constexpr double lines_a_step = 2.5, most_steps = 4;
  const double wanted = std::clamp(std::floor(scale.plot.height() / (lines_a_step * line)), 1.0,
                                   most_steps),
               top = most / scale.unit.milliseconds;
  scale.step = round_step(top, wanted);
  // To a whole number of steps, so that a number stands at the end.
  scale.steps = std::max(1, static_cast<int>(std::ceil(top / scale.step)));
  return scale;
}

QPointF RoundChart::place_of(double round, double milliseconds, const QSizeF& size) const {
  return scale_for(size).place(round, milliseconds);
}

void RoundChart::paint_axes(QPainter& painter, const Scale& scale) const {
  const Theme& t = theme();
  const QRectF& plot = scale.plot;
  const QFontMetricsF metrics(t.small_font());
  const double line = metrics.height();
  const auto grid = [&](const QPointF& from, const QPointF& to) {
    painter.setPen(QPen(t.border, 1));
    painter.drawLine(from, to);
    painter.setPen(t.muted);
  };
  for (int s = 0; s <= scale.steps; ++s) {
    const double time = s * scale.step;
    const double y = scale.place(1, time * scale.unit.milliseconds).y();
    grid({plot.left(), y}, {plot.right(), y});
    painter.drawText(QRectF(line + 4, y - line / 2, plot.left() - line - 10, line),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(time, 'g', 3));
  }
  constexpr int most_numbers = 10;
  const int every = std::max(1, (scale.rounds + most_numbers - 1) / most_numbers);
  for (int round = every; round <= scale.rounds; round += every) {
    const double x = scale.place(round, 0).x();
    grid({x, plot.top()}, {x, plot.bottom()});
    painter.drawText(QRectF(x - 30, plot.bottom() + 4, 60, line), Qt::AlignCenter,
                     QString::number(round));
  }
  if (scale.has_words)
    painter.drawText(QRectF(plot.left(), plot.bottom() + line + 6, plot.width(), line),
                     Qt::AlignCenter, tr("round"));
  painter.save();
  painter.rotate(-90);
  painter.drawText(QRectF(-plot.bottom(), 2, plot.height(), line), Qt::AlignCenter,
                   scale.has_words ? tr(scale.unit.name) : QString(scale.unit.symbol));
  painter.restore();
}

void RoundChart::paint_legend(QPainter& painter, const Scale& scale) const {
  const Theme& t = theme();
  const QString rounds = tr("round"), median = tr("median so far");
  const QFontMetricsF metrics(t.small_font());
  constexpr double sign = 16, gap = 20;
  const double width =
      2 * sign + gap + metrics.horizontalAdvance(rounds) + metrics.horizontalAdvance(median);
  double x = scale.plot.center().x() - width / 2;
  const double y = scale.plot.top() / 2;
  const auto word = [&](const QString& text) {
    painter.setPen(t.text);
    painter.drawText(QPointF(x + sign, y + metrics.ascent() / 2 - 1), text);
    x += sign + metrics.horizontalAdvance(text) + gap;
  };
  painter.setPen(Qt::NoPen);
  painter.setBrush(t.accent);
  painter.drawEllipse(QPointF(x + 6, y), 4, 4);
  word(rounds);
  painter.setPen(QPen(t.mark, 2));
  painter.drawLine(QPointF(x, y), QPointF(x + 12, y));
  word(median);
}

void RoundChart::paint(QPainter& painter, const QSizeF& size) const {
  const Theme& t = theme();
  const QRectF whole({}, size);
  painter.fillRect(whole, t.surface);
  // A frame around nothing would be taken for one that failed.
  if (rounds_.empty()) {
    painter.setPen(t.muted);
    return painter.drawText(
        whole.adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
        tr("Rounds come here as they are timed, each a dot, and their median."));
  }
  const Scale scale = scale_for(size);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setFont(t.small_font());
  paint_axes(painter, scale);
  if (scale.has_words) paint_legend(painter, scale);
  painter.setPen(QPen(t.surface, 1));
  painter.setBrush(t.accent);
  QPolygonF medians;
  for (std::size_t i = 0; i < rounds_.size(); ++i) {
    const auto round = static_cast<double>(i + 1);
    painter.drawEllipse(scale.place(round, rounds_[i]), 4, 4);
    medians.append(scale.place(round, medians_[i]));
  }
  painter.setPen(QPen(t.mark, 2));
  painter.drawPolyline(medians);
}

void RoundChart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint(painter, size());
}

}  // namespace loopglass::views
