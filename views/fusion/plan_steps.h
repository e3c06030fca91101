// How a plan came about: the strategy's moments one by one, forwards and back, with the operators
// in question lit in the graph. The plan is made again to be told, when the pane is first seen.
#pragma once

#include "views/document/document.h"

#include <QAbstractListModel>
#include <QWidget>

class QLabel;
class QListView;
class QSlider;
class QToolButton;

namespace loopglass::views {

class WorkPage;

// Of a kind of step, in lists; never told by colour alone.
QString step_sign(fusion::PlanEvent::Kind kind);

class PlanEventModel : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;
  void set_plan(std::shared_ptr<const fusion::Plan> plan);
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::shared_ptr<const fusion::Plan> plan_;
};

class PlanSteps : public QWidget {
  Q_OBJECT

 public:
  explicit PlanSteps(Document* document, QWidget* parent = nullptr);

  std::shared_ptr<const fusion::Plan> told() const { return told_; }  // null until it is told
  int current() const { return current_; }                            // -1: before the first
  void show_step(std::size_t event);                                  // once it is told

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* make_content();
  void forget();
  void derive();
  void accept(std::shared_ptr<const fusion::Plan> plan);
  void go_to(int event);
  void show_event();
  void show_moment();  // in the other views

  Document* document_;
  WorkPage* page_;
  PlanEventModel* model_;
  QListView* list_;
  QSlider* slider_;
  QToolButton *first_, *back_, *forward_;
  QLabel *place_, *sentence_;
  std::shared_ptr<const fusion::Plan> told_;
  int current_ = -1;
  std::optional<std::size_t> wanted_;  // once it is told
};

}  // namespace loopglass::views
