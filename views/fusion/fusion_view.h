// Which operators became one kernel, and why, or why not: the decision on every edge, the groups
// that came of it, and the strategy to choose.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTableView;

namespace loopglass::views {

class DecisionFilter;
class DecisionModel;
class GroupModel;

class FusionView : public QWidget {
  Q_OBJECT

 public:
  explicit FusionView(Document* document, QWidget* parent = nullptr);

  void find();
  QTableView* decision_table() const { return decision_table_; }
  QTableView* group_table() const { return group_table_; }

 private:
  QWidget* make_tools();
  QWidget* make_decisions();
  void make_groups();
  void show_strategies();
  void show_plan();
  void show_selection();
  void show_decision(const fusion::Decision* decision);
  QString summary() const;

  Document* document_;
  DecisionModel* decisions_;
  DecisionFilter* filter_;
  GroupModel* groups_;
  QSortFilterProxyModel* sorted_groups_;
  QTableView *decision_table_, *group_table_;
  QComboBox *strategy_, *verdict_;
  QLineEdit* filter_text_;
  QLabel *summary_, *why_;
  bool following_ = false;  // the tables follow the selection and do not make one
};

}  // namespace loopglass::views
