// What binds the kernels that are drawn, as a legend above the picture: that which binds for most
// of the time first, in as many rows as it takes.
#pragma once

#include "views/roofline/roofline_picture.h"

#include <QFontMetricsF>

class QPainter;

namespace loopglass::views {

class RooflineLegend {
 public:
  // For an area so wide.
  RooflineLegend(const RooflinePicture& picture, double width, const QFontMetricsF& metrics);

  double height() const;
  // From its upper left corner on.
  void paint(QPainter& painter, const QPointF& corner) const;

 private:
  struct Entry {
    roofline::Bound bound;
    QString name;
    QPointF place;  // from the corner
  };
  std::vector<Entry> entries_;
  double line_, ascent_;
  int rows_ = 1;
};

}  // namespace loopglass::views
