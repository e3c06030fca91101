// Two panes side by side where there is room, else one upon the other.
#pragma once

#include <QResizeEvent>
#include <QSplitter>

namespace loopglass::views {

class FlowSplitter : public QSplitter {
 public:
  explicit FlowSplitter(int wide, QWidget* parent = nullptr) : QSplitter(parent), wide_(wide) {
    setChildrenCollapsible(false);
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    const auto wanted = event->size().width() >= wide_ ? Qt::Horizontal : Qt::Vertical;
    if (wanted != orientation()) setOrientation(wanted);
    QSplitter::resizeEvent(event);
  }

 private:
  int wide_;
};

}  // namespace loopglass::views
