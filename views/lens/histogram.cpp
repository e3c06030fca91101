#include "views/lens/histogram.h"

#include "views/theme.h"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>

namespace loopglass::views {
namespace {

QString number(double value) { return QString::number(value, 'g', 4); }

double bin_width(const debug::Summary& summary) {
  return (summary.maximum - summary.minimum) /
         static_cast<double>(std::max<std::size_t>(summary.histogram.size(), 1));
}

}  // namespace

Histogram::Histogram(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(110);
  setMouseTracking(true);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, qOverload<>(&QWidget::update));
}

void Histogram::show_summaries(const debug::Summary& here,
                               const std::optional<debug::Summary>& there) {
  here_ = here;
  there_ = there && there->finite() > 0 ? there : std::nullopt;
  low_ = here.minimum;
  high_ = here.maximum;
  most_ = 0;
  for (const debug::Summary* summary : {&here_, there_ ? &*there_ : nullptr}) {
    if (!summary || summary->finite() == 0) continue;
    low_ = std::min(low_, summary->minimum);
    high_ = std::max(high_, summary->maximum);
    for (const std::int64_t count : summary->histogram) most_ = std::max(most_, count);
  }
  // All elements are the same: one bar in the middle.
  if (!(high_ > low_)) high_ = low_ + 1, low_ -= 1;
  setAccessibleName(tr("Histogram of %1").arg(QString::fromStdString(here.name)));
  update();
}

QRectF Histogram::plot() const {
  return QRectF(rect()).adjusted(8, 8, -8, -fontMetrics().height() - 8);
}
double Histogram::x_of(double value) const {
  return plot().left() + (value - low_) / (high_ - low_) * plot().width();
}
double Histogram::y_of(std::int64_t count) const {
  return plot().bottom() - static_cast<double>(count) /
                               static_cast<double>(std::max<std::int64_t>(most_, 1)) *
                               plot().height();
}

QRectF Histogram::bar(const debug::Summary& summary, std::size_t bin) const {
  const double width = bin_width(summary);
  double left = x_of(summary.minimum + width * static_cast<double>(bin));
  double right = x_of(summary.minimum + width * static_cast<double>(bin + 1));
  if (right - left < 1) left -= 1, right += 1;
  return {QPointF(left, y_of(summary.histogram[bin])), QPointF(right, plot().bottom())};
}

void Histogram::paintEvent(QPaintEvent*) {
  const Theme& t = theme();
  QPainter painter(this);
  painter.fillRect(rect(), t.surface);
  painter.setFont(t.small_font());
  if (here_.finite() == 0) {
    painter.setPen(t.muted);
    painter.drawText(rect(), Qt::AlignCenter,
                     here_.elements == 0 ? tr("no elements") : tr("no finite element"));
    return;
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(t.accent);
  for (std::size_t bin = 0; bin < here_.histogram.size(); ++bin)
    if (here_.histogram[bin] > 0) painter.drawRect(bar(here_, bin).adjusted(0, -1, -1, 0));
  if (there_) {
    QPainterPath outline;
    outline.moveTo(bar(*there_, 0).bottomLeft());
    for (std::size_t bin = 0; bin < there_->histogram.size(); ++bin) {
      outline.lineTo(bar(*there_, bin).topLeft());
      outline.lineTo(bar(*there_, bin).topRight());
    }
    outline.lineTo(bar(*there_, there_->histogram.size() - 1).bottomRight());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(t.mark, 1.5, Qt::DashLine));
    painter.drawPath(outline);
  }
  painter.setPen(t.border);
  painter.drawLine(plot().bottomLeft(), plot().bottomRight());
  if (low_ < 0 && high_ > 0)
    painter.drawLine(QPointF(x_of(0), plot().top()), QPointF(x_of(0), plot().bottom() + 3));
  painter.setPen(t.muted);
  const QRectF foot(plot().left(), plot().bottom() + 3, plot().width(),
                    height() - plot().bottom() - 3);
  painter.drawText(foot, Qt::AlignLeft | Qt::AlignTop, number(low_));
  painter.drawText(foot, Qt::AlignRight | Qt::AlignTop, number(high_));
  const double zero = x_of(0) - foot.left();
  if (low_ < 0 && high_ > 0 && zero > 60 && zero < foot.width() - 60)
    painter.drawText(foot.translated(zero - foot.width() / 2, 0), Qt::AlignHCenter | Qt::AlignTop,
                     "0");
}

bool Histogram::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  for (std::size_t bin = 0; bin < here_.histogram.size() && here_.finite() > 0; ++bin) {
    const QRectF area = bar(here_, bin);
    if (help->pos().x() < area.left() || help->pos().x() > area.right()) continue;
    const double width = bin_width(here_), from = here_.minimum + width * static_cast<double>(bin);
    QToolTip::showText(
        help->globalPos(),
        tr("%1 elements from %2 to %3")
            .arg(QLocale(QLocale::English).toString(static_cast<qlonglong>(here_.histogram[bin])),
                 number(from), number(from + width)),
        this);
    return true;
  }
  QToolTip::hideText();
  return true;
}

}  // namespace loopglass::views
