// What the items of a canvas have in common: their fonts and measures, and from which size on the
// screen something is drawn.
#pragma once

#include "views/layout/layout.h"
#include "views/theme.h"

#include <QFontMetricsF>
#include <QPainter>
#include <QPen>
#include <QStyleOptionGraphicsItem>

#include <algorithm>

namespace loopglass::views {

// Sizes on the screen, as multiples of the natural one, from which something is drawn.
// Below `small_print_from` a box has its title alone, in letters that can still be read.
inline constexpr double code_from = 0.8, small_print_from = 0.62, text_from = 0.45,
                        title_from = 0.18, outline_from = 0.2, antialias_from = 0.12;
// Labels stand clear of the sign that their edge may wear.
inline constexpr double padding = 8, hatched_rim = 5, corner = 6, label_offset = 8, label_gap = 3,
                        least_width = 84, greatest_width = 220,
                        sign_radius = 6.5;  // of a mark on an edge

// Of what stands for several the boxes behind the first, each so far to the right and down.
inline constexpr double stack_steps[] = {6, 3};

// How a canvas with clusters, or one without, spaces its boxes.
struct GraphSpacing {
  double node_gap, layer_gap, cluster_padding;
};
inline GraphSpacing graph_spacing(bool clusters) {
  constexpr double padding = 17;
  return {clusters ? 2 * padding + 12 : 28, 46, padding};  // so that frames stand apart
}

inline QFont title_font() {
  QFont font = theme().canvas_font();
  font.setWeight(QFont::DemiBold);
  return font;
}
inline QFont detail_font() { return theme().canvas_small_font(); }

inline double band_height() { return QFontMetricsF(title_font()).height() + 6; }
inline double detail_height() { return QFontMetricsF(detail_font()).height(); }

// Nothing is written below its title.
inline bool has_band_alone(QSizeF box) { return box.height() <= band_height() + 0.5; }

// As much of a title as there is room for, of its beginning and its end; how many it stands for is
// the last to go.
inline QString elided_title(const QString& title, const QFontMetricsF& metrics, double width) {
  const qsizetype times = std::max<qsizetype>(0, title.lastIndexOf(u" ×"));
  const QString number = times > 0 ? title.mid(times) : QString();
  const double room = width - metrics.horizontalAdvance(number);
  return metrics.elidedText(title.left(title.size() - number.size()), Qt::ElideMiddle, room) +
         number;
}

inline double detail_of(const QPainter* painter) {
  return QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter->worldTransform());
}

inline QPen outline(const QColor& color, double width) {
  QPen pen(color, width);
  pen.setJoinStyle(Qt::RoundJoin);
  return pen;
}

inline QPointF to_point(layout::Point point) { return {point.x, point.y}; }

}  // namespace loopglass::views
