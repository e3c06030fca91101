#include "views/fusion/path_strip.h"

#include "views/text.h"

#include <QMouseEvent>

#include <algorithm>

namespace loopglass::views {
namespace {

constexpr std::size_t most = 7;  // of a long way the beginning and the end are shown
constexpr int padding = 6, row_gap = 6;

int arrow_width(const QString& edge) {
  const QFontMetrics small(theme().small_font());
  return edge.isEmpty() ? 0 : std::max(small.horizontalAdvance(edge), 20) + 14;
}

}  // namespace

void PathStrip::show_path(const fusion::CardPath& path, const graph::Graph& graph) {
  stops_.clear();
  const std::size_t count = path.stops.size();
  const std::size_t left_out = count > most ? count - most + 1 : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const fusion::CardPath::Stop& stop = path.stops[i];
    if (left_out > 0 && i == most - 3) {
      stops_.push_back({tr("%1 more").arg(left_out), {}, "…"});
      i += left_out - 1;
      continue;
    }
    stops_.push_back({text(graph.node(stop.node).name), text(fusion::name(stop.kind)),
                      stop.edge ? text(fusion::name(*stop.edge)) : QString()});
  }
  QStringList spoken;
  for (const Stop& stop : stops_) spoken << stop.name + " " + stop.kind;
  setAccessibleName(tr("Path to the post-dominator"));
  setAccessibleDescription(spoken.join(", "));
  setToolTip(
      tr("Operators with their kinds; on the arrows the kinds of the edges. A click shows the path "
         "in the graph"));
  setCursor(Qt::PointingHandCursor);
  setVisible(!stops_.empty());
  redraw();
}

int PathStrip::width_of(const Stop& stop) const {
  const QFontMetrics name(theme().text_font()), kind(theme().small_font());
  const int widest = 22 * name.averageCharWidth();
  return std::min(std::max(name.horizontalAdvance(stop.name), kind.horizontalAdvance(stop.kind)),
                  widest) +
         2 * padding + 2;
}

int PathStrip::draw(QPainter* painter, int width) const {
  const Theme& t = theme();
  const QFontMetrics name(t.text_font()), small(t.small_font());
  const int height = name.height() + small.height() + 4;
  int left = 0, top = 0;
  for (const Stop& stop : stops_) {
    const int arrow = arrow_width(stop.edge), box = std::min(width_of(stop), width);
    if (left > 0 && left + arrow + box > width) {
      left = 0;
      top += height + row_gap;
    }
    if (painter && arrow > 0) {
      const QRect room(left, top, arrow, height);
      const int middle = top + height / 2;
      painter->setPen(QPen(t.edge, 1.4));
      painter->drawLine(room.left() + 3, middle, room.right() - 3, middle);
      painter->drawLine(room.right() - 7, middle - 4, room.right() - 3, middle);
      painter->drawLine(room.right() - 7, middle + 4, room.right() - 3, middle);
      painter->setFont(t.small_font());
      painter->setPen(t.muted);
      painter->drawText(QRect(left, middle - small.height() - 2, arrow, small.height()),
                        Qt::AlignCenter, stop.edge);
    }
    left += arrow;
    const int wide = std::min(box, width - std::min(left, width / 2));
    if (painter) {
      const QRect place(left, top, wide, height);
      painter->setPen(QPen(t.accent, 1));
      painter->setBrush(t.raised);
      painter->drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
      const QRect inside = place.adjusted(padding, 2, -padding, -2);
      painter->setFont(t.text_font());
      painter->setPen(t.text);
      painter->drawText(inside, Qt::AlignTop | Qt::AlignHCenter,
                        name.elidedText(stop.name, Qt::ElideMiddle, inside.width()));
      painter->setFont(t.small_font());
      painter->setPen(t.muted);
      painter->drawText(inside, Qt::AlignBottom | Qt::AlignHCenter,
                        small.elidedText(stop.kind, Qt::ElideRight, inside.width()));
    }
    left += wide;
  }
  return stops_.empty() ? 0 : top + height;
}

void PathStrip::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && rect().contains(event->position().toPoint()))
    emit clicked();
}

}  // namespace loopglass::views
