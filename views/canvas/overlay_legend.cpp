#include "views/canvas/overlay_legend.h"

#include "views/canvas/item_style.h"

#include <QPainter>

#include <algorithm>
#include <utility>

namespace loopglass::views {
namespace {

constexpr int legend_margin = 10, legend_inset = 8, sample = 34, gap = 8, spacing = 4;
constexpr int slack = 2;  // beside a line, or it would be broken, or cut, for less than a pixel
constexpr int least_room = 120;  // of what is written in it

}  // namespace

OverlayLegend::OverlayLegend(GraphCanvas* canvas) : QWidget(canvas->viewport()) {
  // A viewport that scrolls takes its children along.
  connect(canvas, &GraphCanvas::viewChanged, this, &OverlayLegend::fit);
  setObjectName("overlayLegend");
  setAttribute(Qt::WA_TransparentForMouseEvents);
  hide();
}

void OverlayLegend::show_rows(const QString& title, std::vector<Row> rows) {
  title_ = title;
  rows_ = std::move(rows);
  setVisible(!rows_.empty());
  fit();
  update();
}

void OverlayLegend::fit() {
  if (rows_.empty()) return;
  const QFontMetrics heading(title_font()), metrics(detail_font());
  const int widest =
      std::max(least_room, parentWidget()->width() - 2 * legend_margin - 2 * legend_inset);
  int width = title_.isEmpty() ? 0 : heading.horizontalAdvance(title_) + slack;
  for (const Row& row : rows_)
    width = std::max(width, sample + gap + metrics.horizontalAdvance(row.text) + slack);
  width = std::min(width, widest);
  int height = (title_.isEmpty() ? 0 : heading.height() + spacing) - spacing;
  for (const Row& row : rows_) height += height_of(row, width) + spacing;
  setGeometry(legend_margin, legend_margin, width + 2 * legend_inset, height + 2 * legend_inset);
}

int OverlayLegend::height_of(const Row& row, int width) const {
  const QRect room(0, 0, width - sample - gap, 1 << 12);
  return QFontMetrics(detail_font()).boundingRect(room, Qt::TextWordWrap, row.text).height();
}

void OverlayLegend::paintEvent(QPaintEvent*) {
  const Theme& t = theme();
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  QColor paper = t.raised;
  paper.setAlpha(235);
  painter.setPen(t.border);
  painter.setBrush(paper);
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
  double y = legend_inset;
  if (!title_.isEmpty()) {
    painter.setFont(title_font());
    painter.setPen(t.text);
    const double height = QFontMetricsF(painter.font()).height();
    const double room = width() - 2 * legend_inset;
    painter.drawText(QRectF(legend_inset, y, room, height), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetricsF(painter.font()).elidedText(title_, Qt::ElideRight, room));
    y += height + spacing;
  }
  painter.setFont(detail_font());
  for (const Row& row : rows_) {
    const double height = height_of(row, width() - 2 * legend_inset);
    const QColor color = row.mark.color.isValid() ? row.mark.color : t.edge;
    QPen pen(color, row.mark.width, row.mark.dashed ? Qt::DashLine : Qt::SolidLine);
    const QPointF middle(legend_inset + sample / 2.0, y + height / 2);
    painter.setPen(pen);
    if (row.is_band) {
      QColor fill = color;
      fill.setAlpha(60);
      painter.setBrush(fill);
      painter.drawRoundedRect(QRectF(legend_inset + 1, y + 2, sample - 2, height - 4), 4, 4);
    } else {
      painter.drawLine(QPointF(legend_inset, middle.y()),
                       QPointF(legend_inset + sample, middle.y()));
    }
    if (!row.mark.sign.isEmpty()) {
      painter.setPen(QPen(color, 1.2));
      painter.setBrush(t.surface);
      painter.drawEllipse(middle, 6.5, 6.5);
      painter.setPen(color);
      painter.drawText(QRectF(middle - QPointF(8, 8), QSizeF(16, 16)), Qt::AlignCenter,
                       row.mark.sign);
    }
    painter.setPen(t.text);
    painter.drawText(
        QRectF(legend_inset + sample + gap, y, width() - 2 * legend_inset - sample - gap, height),
        Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, row.text);
    y += height + spacing;
  }
}

}  // namespace loopglass::views
