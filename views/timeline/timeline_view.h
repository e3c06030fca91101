// The history of graph passes: go to any step or rewrite by clicking it, forward and back by the
// buttons, and read at the foot what happened there and why.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QToolButton;
class QLabel;
class QTreeView;

namespace loopglass::views {

class TimelineModel;
class WalkActions;

class TimelineView : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineView(Document* document, QWidget* parent = nullptr);
  TimelineModel* model() const { return model_; }

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* make_buttons();
  void show_history();
  void show_position();
  void show_selection();
  void show_stops();
  void follow_key(const QModelIndex& row);
  void show_sentence();
  void hide_unchanged();
  void choose_columns();
  void activate(const QModelIndex& index);
  void open_menu(const QPoint& at);

  Document* document_;
  TimelineModel* model_;
  QTreeView* tree_;
  WalkActions* walks_;
  graph::NodeId to_select_;  // once the graph it is in has arrived
  QToolButton* changed_only_;
  QLabel *place_, *sentence_;
};

}  // namespace loopglass::views
