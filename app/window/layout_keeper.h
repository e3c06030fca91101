// Keeps how the panes lie, where the window stands, and how wide a person made the columns of
// tables that have a name, a moment after any of it has changed, so that a window that is killed
// comes up as it was.
#pragma once

#include "app/window/panes.h"
#include "app/window/workspaces.h"

#include <QTimer>

class QSettings;

namespace loopglass::app {

class LayoutKeeper : public QObject {
  Q_OBJECT

 public:
  LayoutKeeper(QMainWindow* window, const Panes& panes, Workspaces* workspaces,
               QSettings* settings);

  void keep();  // now

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QMainWindow* window_;
  Workspaces* workspaces_;
  QSettings* settings_;
  QTimer timer_;
};

}  // namespace loopglass::app
