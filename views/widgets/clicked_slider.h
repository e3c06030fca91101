// A slider that goes to where it is clicked: of thousands of steps a page is no step at all.
#pragma once

#include <QMouseEvent>
#include <QSlider>
#include <QStyle>
#include <QStyleOptionSlider>

namespace loopglass::views {

class ClickedSlider : public QSlider {
 public:
  using QSlider::QSlider;

 protected:
  void mousePressEvent(QMouseEvent* event) override {
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect handle =
        style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, this);
    if (event->button() == Qt::LeftButton && !handle.contains(event->pos())) {
      const bool lies = orientation() == Qt::Horizontal;
      const int length = lies ? handle.width() : handle.height();
      const int at = (lies ? event->pos().x() : event->pos().y()) - length / 2;
      const int room = (lies ? width() : height()) - length;
      setValue(QStyle::sliderValueFromPosition(minimum(), maximum(), at, room, option.upsideDown));
    }
    QSlider::mousePressEvent(event);  // where the handle is now, and is dragged from
  }
};

}  // namespace loopglass::views
