// The key that quits is heard while a dialog or a menu is open, too: these are left first, as by
// Escape.
#pragma once

#include <QObject>

namespace loopglass::app {

class QuitKey : public QObject {
 public:
  explicit QuitKey(QWidget* window);  // that is closed

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* window_;
};

}  // namespace loopglass::app
