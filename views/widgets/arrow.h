// A straight arrow, as dependences are drawn.
#pragma once

#include <QPainter>
#include <QPolygonF>

#include <cmath>

namespace loopglass::views {

// With the painter's pen; its head, filled, ends at `to`. Too short for its head it is the head.
inline void draw_arrow(QPainter& painter, QPointF from, QPointF to, double head) {
  const QPointF way = to - from;
  const double length = std::hypot(way.x(), way.y());
  if (length < 1) return;
  const QPointF along = way / length, beside(-along.y(), along.x());
  const QPointF neck = to - along * std::min(head, length);
  painter.drawLine(from, neck);
  painter.save();
  painter.setBrush(painter.pen().color());
  painter.setPen(Qt::NoPen);
  painter.drawPolygon(QPolygonF({to, neck + beside * head * 0.5, neck - beside * head * 0.5}));
  painter.restore();
}

}  // namespace loopglass::views
