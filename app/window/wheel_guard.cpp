#include "app/window/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QEvent>

namespace loopglass::app {

WheelGuard::WheelGuard(QObject* parent) : QObject(parent) { qApp->installEventFilter(this); }

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::Wheel) return false;
  const bool is_box =
      qobject_cast<QComboBox*>(watched) != nullptr || qobject_cast<QAbstractSpinBox*>(watched);
  if (!is_box || static_cast<QWidget*>(watched)->hasFocus()) return false;
  event->ignore();  // so that it goes on to what the box stands in
  return true;
}

}  // namespace loopglass::app
