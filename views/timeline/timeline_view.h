// The history of graph passes: go to any step by clicking it, forward and back by the buttons, and
// open a step to see what its pass did, rewrite by rewrite.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QToolButton;
class QLabel;
class QTreeView;

namespace loopglass::views {

class TimelineModel;

class TimelineView : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineView(Document* document, QWidget* parent = nullptr);

 private:
  QWidget* make_buttons();
  void fill_pass_menu();
  void show_history();
  void show_step();
  void hide_unchanged();
  void activate(const QModelIndex& index);

  Document* document_;
  TimelineModel* model_;
  QTreeView* tree_;
  QToolButton *back_, *forward_, *changed_only_, *passes_;
  QLabel* position_;
};

}  // namespace loopglass::views
