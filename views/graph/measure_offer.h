// A button below the card of the colours, where there is no scale for nothing has been measured:
// it measures.
#pragma once

#include <QEvent>
#include <QPushButton>

namespace loopglass::views {

class MeasureOffer : public QPushButton {
 public:
  // Beside the card, in the same parent; gone with it.
  explicit MeasureOffer(QWidget* card) : QPushButton(card->parentWidget()), card_(card) {
    setObjectName("measureOffer");
    setText(tr("Measure"));
    setToolTip(tr("Compile every kernel and time the network (F5)"));
    setCursor(Qt::ArrowCursor);  // not that of the drawing
    setFocusPolicy(Qt::TabFocus);
    card->installEventFilter(this);
    hide();
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == card_ && event->type() == QEvent::Hide) hide();
    if (watched == card_ && (event->type() == QEvent::Move || event->type() == QEvent::Resize ||
                             event->type() == QEvent::Show))
      place();
    return QPushButton::eventFilter(watched, event);
  }

 private:
  void place() {
    constexpr int gap = 6;
    adjustSize();
    move(card_->geometry().left(), card_->geometry().bottom() + gap);
    raise();
  }

  QWidget* card_;
};

}  // namespace loopglass::views
