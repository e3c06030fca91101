// Two panes side by side where there is room, else one upon the other.
#pragma once

#include <QResizeEvent>
#include <QSplitter>
#include <algorithm>

namespace loopglass::views {

class FlowSplitter : public QSplitter {
 public:
  explicit FlowSplitter(int wide, QWidget* parent = nullptr) : QSplitter(parent), wide_(wide) {
    setChildrenCollapsible(false);
  }

  // That of one upon the other, however they stand now: else they could not become narrow enough to
  // stand so.
  QSize minimumSizeHint() const override {
    QSize least = QSplitter::minimumSizeHint();
    if (orientation() == Qt::Vertical) return least;
    int width = 0;
    for (int i = 0; i < count(); ++i) width = std::max(width, widget(i)->minimumSizeHint().width());
    least.setWidth(width);
    return least;
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
