#include "app/window/quit_key.h"

#include "app/window/menus.h"

#include <QApplication>
#include <QDialog>
#include <QKeyEvent>
#include <QWidget>
#include <QWindow>

namespace loopglass::app {

QuitKey::QuitKey(QWidget* window) : QObject(window), window_(window) {
  qApp->installEventFilter(this);
  // A window behind a dialog may be clicked, and would have the keyboard without hearing of it.
  connect(qApp, &QGuiApplication::focusWindowChanged, this, [](const QWindow* focused) {
    QWidget* dialog = QApplication::activeModalWidget();
    if (dialog && focused && focused != dialog->windowHandle() &&
        !QApplication::activePopupWidget())
      dialog->activateWindow();
  });
}

bool QuitKey::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QObject::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  const bool is_blocked = QApplication::activeModalWidget() || QApplication::activePopupWidget();
  if (!is_blocked || QKeySequence(key->keyCombination()) != quit_key())
    return QObject::eventFilter(watched, event);
  while (QWidget* popup = QApplication::activePopupWidget())
    if (!popup->close()) break;
  for (QWidget* widget : QApplication::topLevelWidgets())
    if (auto* dialog = qobject_cast<QDialog*>(widget); dialog && dialog->isVisible())
      dialog->reject();
  // Once whoever waits for the dialog has gone on.
  QMetaObject::invokeMethod(window_, &QWidget::close, Qt::QueuedConnection);
  return true;
}

}  // namespace loopglass::app
