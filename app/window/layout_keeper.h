// Keeps how the panes lie and what a person made of their insides (columns of tables that have a
// name and what these are sorted by, splits, fields), and where the window stands, a moment after
// any of it has changed, so that a window that is killed comes up as it was.
#pragma once

#include "app/window/kept_fields.h"
#include "app/window/kept_sorting.h"
#include "app/window/kept_splits.h"
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
  KeptSplits* splits_;
  KeptFields* fields_;
  KeptSorting* sorting_;
  QTimer timer_;
};

}  // namespace loopglass::app
