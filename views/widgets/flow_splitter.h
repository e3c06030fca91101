// Two panes side by side where there is room, else one upon the other.
#pragma once

#include <QResizeEvent>
#include <QSplitter>
#include <algorithm>
#include <functional>
#include <optional>

namespace loopglass::views {

class FlowSplitter : public QSplitter {
 public:
  explicit FlowSplitter(int wide, QWidget* parent = nullptr) : QSplitter(parent), wide_(wide) {
    setChildrenCollapsible(false);
  }

  // What is done when they come to stand the other way.
  std::function<void()> turned;

  // Where they stand one upon the other and there is no height for all, one has it, and the others
  // wait at the handles: else they would lie over one another. With more height they have these
  // shares again, or what a person made of them.
  void let_go_before(int index, const QList<int>& shares) {
    before_ = index;
    shares_ = shares;
    setSizes(shares);
    connect(this, &QSplitter::splitterMoved, this, [this] {
      if (!is_low_) shares_ = sizes();
    });
  }

  // That of one upon the other, however they stand now: else they could not become narrow enough to
  // stand so. Of height no more than that one needs for which the others may wait at the handles.
  QSize minimumSizeHint() const override {
    QSize least = QSplitter::minimumSizeHint();
    if (orientation() == Qt::Vertical) {
      if (before_) least.setHeight(least_height(*before_) + (count() - 1) * handleWidth());
      return least;
    }
    int width = 0;
    for (int i = 0; i < count(); ++i) width = std::max(width, widget(i)->minimumSizeHint().width());
    least.setWidth(width);
    return least;
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    const auto wanted = event->size().width() >= wide_ ? Qt::Horizontal : Qt::Vertical;
    const bool turns = wanted != orientation();
    if (turns) setOrientation(wanted);
    QSplitter::resizeEvent(event);
    if (turns && turned) turned();
    if (before_) give_way(event->size().height());
  }

 private:
  int least_height(int index) const {
    return std::max(widget(index)->minimumHeight(), widget(index)->minimumSizeHint().height());
  }

  void give_way(int height) {
    int least = (count() - 1) * handleWidth();
    for (int i = 0; i < count(); ++i) least += least_height(i);
    const bool is_low = orientation() == Qt::Vertical && height < least;
    if (is_low == is_low_) return;
    is_low_ = is_low;
    QList<int> alone(count(), 0);
    alone[*before_] = height;
    for (int i = 0; i < count(); ++i)
      if (i != *before_) setCollapsible(i, is_low);
    setSizes(is_low ? alone : shares_);
  }

  int wide_;
  std::optional<int> before_;  // whom the others give way to
  bool is_low_ = false;
  QList<int> shares_;  // where there is height enough
};

}  // namespace loopglass::views
