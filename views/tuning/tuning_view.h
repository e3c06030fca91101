// Looks for faster schedules of the kernel that is shown, and shows how: what is searched, by which
// search and model, every trial as it comes, and the script of each, to be used or changed by hand.
#pragma once

#include "views/tuning/tuning_runs.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QSortFilterProxyModel;
class QSpinBox;
class QTableView;

namespace loopglass::views {

class TrialTable;
class TuningChart;

class TuningView : public QWidget {
  Q_OBJECT

 public:
  explicit TuningView(Document* document, QWidget* parent = nullptr);

  TuningRuns& runs() const { return *runs_; }

 signals:
  void scriptWanted();  // a trial's script is to be changed by hand

 private:
  QWidget* make_controls();
  QWidget* make_trials();
  QWidget* make_script();
  void start();
  void show_runs();
  void show_state();
  void select(int run, int trial);
  void show_trial();
  void use_script();
  void edit_script();
  const ShownRun* selected_run() const;
  const ShownTrial* selected_trial() const;
  // Whether the kernel that is shown is the one that the selected run tunes.
  bool is_of_shown_kernel() const;

  Document* document_;
  TuningRuns* runs_;
  TuningChart* chart_;
  TrialTable* trials_;
  QSortFilterProxyModel* sorted_;
  QTableView* table_;
  QPlainTextEdit* script_;
  QLabel *state_, *trial_words_;
  QComboBox *space_, *search_, *model_, *layout_, *run_choice_, *chart_choice_;
  QSpinBox *count_, *threads_, *seed_;
  QPushButton *start_, *pause_, *stop_, *use_, *edit_, *forget_;
  int run_ = -1, trial_ = -1;
  bool follows_best_ = true;  // until somebody selects another trial
  bool following_ = false;    // the table follows the selection, not making it
};

}  // namespace loopglass::views
