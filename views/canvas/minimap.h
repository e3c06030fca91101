// The whole graph in a corner of its canvas where no box lies, and the part in view. Click or drag
// to go there.
#pragma once

#include "views/canvas/graph_canvas.h"

#include <QPixmap>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

namespace loopglass::views {

class Minimap : public QWidget {
 public:
  explicit Minimap(GraphCanvas* canvas);

  // Where it lies, or would, as sessions have it: "top left". Other words leave it where it is. A
  // view that comes back takes several steps, in which it may have to lie elsewhere.
  static const std::vector<std::string>& corner_names();
  const std::string& corner() const { return corner_names()[corner_]; }
  void set_corner(const std::string& name);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
  QRect area_in(Qt::Corner corner, QSize size) const;
  struct Covering {
    Qt::Corner corner;
    double area;  // of boxes, in the drawing
  };
  Covering least_covering(QSize size) const;
  void draw_overview();
  void go_to(QPointF position);
  QTransform to_map() const;  // from the scene to this widget

  GraphCanvas* canvas_;
  Qt::Corner corner_ = Qt::BottomRightCorner;
  std::optional<Qt::Corner> wished_;  // by a session, until somebody moves the view
  QPixmap overview_;
};

}  // namespace loopglass::views
