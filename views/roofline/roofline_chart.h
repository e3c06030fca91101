// A picture of kernels under the roofs in a widget: a click or an arrow key chooses a kernel, and
// where the mouse rests a kernel says what binds it.
#pragma once

#include "views/roofline/roofline_picture.h"

#include <QWidget>

namespace loopglass::views {

class RooflineChart : public QWidget {
  Q_OBJECT

 public:
  explicit RooflineChart(QWidget* parent = nullptr);
  void show_picture(RooflinePicture picture);

 signals:
  void kernelChosen(int kernel);  // of the picture's

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  int kernel_under(const QPointF& position) const;  // -1: none

  RooflinePicture picture_;
};

}  // namespace loopglass::views
