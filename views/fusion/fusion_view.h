// Which operators became one kernel, and why, or why not: the decision on every edge, the kernels
// that came of it, what nearly fused, how the strategy came to it, and the ways to argue: another
// strategy, an edge forced or forbidden, a partition by hand, a guess before the answer shows.
#pragma once

#include "core/support/filter.h"
#include "views/document/document.h"

#include <QWidget>

class QBoxLayout;
class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QTabWidget;
class QTableView;
class QToolButton;

namespace loopglass::views {

class CommandBar;
class DecisionFilter;
class DecisionModel;
class EdgeCardPane;
class GroupModel;
class HandPane;
class NearMissList;
class PlanSteps;
class StrategyTable;

class FusionView : public QWidget {
  Q_OBJECT

 public:
  explicit FusionView(Document* document, QWidget* parent = nullptr);

  enum Tab { Decisions, Kernels, NearMisses, ByHand, Steps, Strategies, Codes };
  static const QStringList& tab_names();  // in their order, as on the command line

  void find();
  QTableView* decision_table() const { return decision_table_; }
  QTableView* group_table() const { return group_table_; }
  QTabWidget* tabs() const { return tabs_; }
  void show_edge(const fusion::Edge& edge);    // and the decision on it
  void choose_edge(const fusion::Edge& edge);  // of those that carry the selected value

 signals:
  void edgeChosen(graph::ValueId value, graph::NodeId consumer);  // in the table

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  static constexpr int side_by_side = 1000;  // table and card, from this width on

  QWidget* make_tools();
  QWidget* make_decisions();
  QWidget* make_filter();
  void make_groups();
  void make_tabs();
  void connect_document();
  void show_strategies();
  void fit_tables();
  void forget_fit();
  void show_hand_count();
  void show_guessing();
  void show_plan();
  void show_refusal();
  void show_selection();
  void show_decision();
  void show_step(std::size_t event);  // of the strategy at work
  void share_room();
  void show_command();
  void set_guessing(bool guessing);
  void explain_filter();
  void read_filter();
  void open_edge_menu(QPoint at);
  void open_kernel_menu(QPoint at);
  FilterSchema filter_fields() const;
  const fusion::Decision* current_decision() const;
  QString summary() const;
  QString score_words() const;
  // On the selected value; empty: there is one, or no value is selected.
  QString why_no_decision() const;

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
  QBoxLayout* tools_;
  QWidget* filter_bar_ = nullptr;
  QToolButton* fold_table_;
  QLabel *summary_, *refusal_, *filter_words_, *no_decision_;
  NearMissList* near_misses_;
  HandPane* hand_;
  StrategyTable* strategies_;
  PlanSteps* steps_;
  EdgeCardPane* card_;
  CommandBar* command_;
  fusion::Edge chosen_edge_;  // in the table, last
  // The graphs whose names the columns fit.
  const void *decisions_fitted_to_ = nullptr, *kernels_fitted_to_ = nullptr;
  bool following_ = false;  // the tables follow the selection and do not make one
};

}  // namespace loopglass::views
