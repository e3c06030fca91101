// The tool bar: where one is (step, kernel, strategy) and the ways to go elsewhere (workspaces,
// locator).
#pragma once

#include "app/window/workspaces.h"
#include "views/document/document.h"
#include "views/timeline/walk_actions.h"

#include <QToolBar>

class QAction;
class QComboBox;

namespace loopglass::app {

class ElidedLabel;

class ToolBar : public QToolBar {
  Q_OBJECT

 public:
  ToolBar(views::Document* document, Workspaces* workspaces, QWidget* parent = nullptr);

 signals:
  void openWanted();
  void locatorWanted();

 private:
  void add_steps();
  void add_kernels();
  void add_strategies();
  void add_workspaces();
  void show_extension();
  void fit_steps();
  void show_step();
  void show_plan();
  void show_kernel();

  views::Document* document_;
  Workspaces* workspaces_;
  views::WalkActions* walks_;
  ElidedLabel* step_;
  QComboBox *kernel_, *strategy_;
};

}  // namespace loopglass::app
