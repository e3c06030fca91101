// Bands: boxes of some nodes, and corridors along the edges between them, seen as one shape.
#include "views/canvas/item_style.h"
#include "views/canvas/items.h"

#include <algorithm>
#include <utility>

namespace loopglass::views {

namespace {

constexpr double reach = 9;  // around a box

}  // namespace

BandItem::BandItem(CanvasBand band, const std::vector<QRectF>& boxes,
                   const std::vector<QPainterPath>& edges)
    : band_(std::move(band)), boxes_(boxes) {
  constexpr double corridor = 22;
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
  bounds_ = parts_bounds_ = parts_.boundingRect().adjusted(-3, -3, 3, 3);
  band_.title =
      QFontMetricsF(detail_font()).elidedText(band_.title, Qt::ElideMiddle, greatest_width);
  place_title([](const QRectF&) { return true; });
}

void BandItem::place_title(const std::function<bool(const QRectF&)>& is_free) {
  const QRectF before = std::exchange(tab_, {});
  if (!band_.title.isEmpty()) {
    const QFontMetricsF metrics(detail_font());
    const QSizeF size(metrics.horizontalAdvance(band_.title) + 2 * padding, metrics.height());
    for (const QRectF& box : boxes_)
      for (const double left : {box.left() - reach - size.width(), box.right() + reach})
        if (const QRectF tab(QPointF(left, box.top()), size); tab_.isEmpty() && is_free(tab))
          tab_ = tab;
  }
  if (tab_ == before) return;
  prepareGeometryChange();
  bounds_ = parts_bounds_ | tab_;
  update();
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
