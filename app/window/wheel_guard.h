// The wheel scrolls what it is over, and changes no box that happens to lie there: a choice that
// plans the network anew is made with the box, not in passing.
#pragma once

#include <QObject>

namespace loopglass::app {

class WheelGuard : public QObject {
 public:
  explicit WheelGuard(QObject* parent);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace loopglass::app
