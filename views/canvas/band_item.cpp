// Bands: boxes of some nodes, and corridors along the edges between them, seen as one shape.
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"

#include <algorithm>
#include <utility>

namespace loopglass::views {

BandItem::BandItem(CanvasBand band, const std::vector<QRectF>& boxes,
                   const std::vector<QPainterPath>& edges)
    : band_(std::move(band)) {
  constexpr double reach = 9, corridor = 22;
  setZValue(-1.5);
  setAcceptedMouseButtons(Qt::NoButton);
  for (const QRectF& box : boxes)
    parts_.addRoundedRect(box.adjusted(-reach, -reach, reach, reach), corner + 4, corner + 4);
  QPainterPathStroker stroker;
  stroker.setWidth(corridor);
  stroker.setCapStyle(Qt::RoundCap);
  stroker.setCurveThreshold(1);
  for (const QPainterPath& edge : edges) parts_.addPath(stroker.createStroke(edge));
  parts_.setFillRule(Qt::WindingFill);
  bounds_ = parts_.boundingRect().adjusted(-3, -3, 3, 3);
  if (band_.title.isEmpty() || boxes.empty()) return;
  const QFontMetricsF metrics(detail_font());
  band_.title = metrics.elidedText(band_.title, Qt::ElideMiddle, greatest_width);
  const QRectF& first = boxes.front();
  const double width = metrics.horizontalAdvance(band_.title) + 2 * padding;
  tab_ = QRectF(first.left() - reach - width, first.top(), width, metrics.height());
  bounds_ |= tab_;
}

bool runs_between(const QPainterPath& line, const QRectF& from, const QRectF& to) {
  constexpr double bend = 60;  // that a line takes round what stands in its way
  return from.bottom() <= to.top() &&
         from.united(to).adjusted(-bend, -bend, bend, bend).contains(line.boundingRect());
}

void BandItem::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
  if (outline_.isEmpty()) outline_ = parts_.simplified();
  const double detail = detail_of(painter);
  QColor fill = band_.color;
  fill.setAlpha(46);
  QPen pen = outline(band_.color, std::max(2.0, 1.5 / detail));
  if (detail >= outline_from) pen.setStyle(Qt::DashLine);
  painter->setPen(pen);
  painter->setBrush(fill);
  painter->drawPath(outline_);
  if (tab_.isEmpty() || detail < text_from) return;
  painter->fillRect(tab_, band_.color);
  painter->setPen(text_on(band_.color));
  painter->setFont(detail_font());
  painter->drawText(tab_, Qt::AlignCenter, band_.title);
}

}  // namespace loopglass::views
