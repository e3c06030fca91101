// Points on the curves that edges are drawn along.
#pragma once

#include "views/canvas/item_style.h"
#include "views/layout/layout.h"

#include <QPointF>

#include <cmath>
#include <cstddef>

namespace loopglass::views {

inline QPointF at(const layout::Curve& curve, std::size_t segment, double part) {
  const double rest = 1 - part;
  return rest * rest * rest * to_point(curve[segment]) +
         3 * rest * rest * part * to_point(curve[segment + 1]) +
         3 * rest * part * part * to_point(curve[segment + 2]) +
         part * part * part * to_point(curve[segment + 3]);
}

// A part of the way, measured by the ends of the segments: exact lengths cost more than they are
// worth.
inline QPointF point_along(const layout::Curve& curve, double part) {
  const auto length = [&](std::size_t segment) {
    const QPointF step = to_point(curve[segment + 3]) - to_point(curve[segment]);
    return std::hypot(step.x(), step.y());
  };
  double whole = 0;
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) whole += length(i);
  double left = whole * part;
  for (std::size_t i = 0; i + 3 < curve.size(); i += 3) {
    const double here = length(i);
    if (left <= here) return at(curve, i, here > 0 ? left / here : part);
    left -= here;
  }
  return to_point(curve.back());
}

}  // namespace loopglass::views
