// Which operators became one kernel, and why, or why not: the decision on every edge, the kernels
// that came of it, how the strategy came to it, and the ways to argue: another strategy, an edge
// forced or forbidden, a guess before the answer shows.
#pragma once

#include "views/document/document.h"

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTabWidget;
class QTableView;

namespace loopglass::views {

class CommandBar;
class DecisionFilter;
class DecisionModel;
class GroupModel;
class VerdictPanel;

class FusionView : public QWidget {
  Q_OBJECT

 public:
  explicit FusionView(Document* document, QWidget* parent = nullptr);

  enum Tab { Decisions, Kernels, Steps, Strategies, Codes };

  void find();
  QTableView* decision_table() const { return decision_table_; }
  QTableView* group_table() const { return group_table_; }
  QTabWidget* tabs() const { return tabs_; }

 private:
  QWidget* make_tools();
  QWidget* make_decisions();
  QWidget* make_filter();
  void make_groups();
  void make_tabs();
  void show_strategies();
  void show_plan();
  void show_selection();
  void show_decision();
  void show_command();
  void set_guessing(bool guessing);
  void read_filter();
  void open_menu(QPoint at);
  const fusion::Decision* current_decision() const;
  QString summary() const;

  Document* document_;
  DecisionModel* decisions_;
  DecisionFilter* filter_;
  GroupModel* groups_;
  QSortFilterProxyModel* sorted_groups_;
  QTableView *decision_table_, *group_table_;
  QTabWidget* tabs_;
  QComboBox *strategy_, *verdict_;
  QCheckBox* guess_;
  QLineEdit* filter_text_;
  QLabel *summary_, *filter_words_;
  VerdictPanel* panel_;
  CommandBar* command_;
  bool following_ = false;  // the tables follow the selection and do not make one
};

}  // namespace loopglass::views
