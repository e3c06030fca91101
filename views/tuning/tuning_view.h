// Looks for faster schedules of the kernel that is shown, or of all, and shows how: what is
// searched, by which search and model, every trial as it comes, round by round, knobs against
// speed, failures, and the script of each trial with where it came from, to be used or changed by
// hand. A person may pin and forbid values and have scripts of their own tried.
#pragma once

#include "views/tuning/tuning_runs.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace loopglass::views {

class CommandBar;
class RunPictures;
class SteeringBar;
class TrialScript;
class TrialTable;
class TrialsOfRound;
class TuningControls;

class TuningView : public QWidget {
  Q_OBJECT

 public:
  // `records`: a folder that trials are kept in; empty: they are not.
  explicit TuningView(Document* document, const std::filesystem::path& records = {},
                      QWidget* parent = nullptr);

  TuningRuns& runs() const { return *runs_; }

  // By what the controls say; nothing where something is in the way.
  void tune() { start(false); }
  void tune_all() { start(true); }
  void stop() { runs_->stop(); }
  void toggle_pause();

 signals:
  void scriptWanted();  // a trial's script is to be changed by hand

 private:
  void connect_pictures();
  QWidget* make_trials();
  void start(bool all);
  void show_runs();
  void show_kernel();  // that another one is shown
  void show_state();
  void show_command();
  void select(int run, int trial);
  void show_trial();
  void use_script();
  void edit_script();
  void try_own_script();
  void ask_for_rule(const std::string& knob, const std::string& value, const QPoint& at);
  void set_rules(std::vector<tune::KnobRule> rules);
  void save_records();
  void open_records();
  void schedule_by_records();
  void forget();
  void say(const QString& words);
  const ShownRun* selected_run() const;
  const ShownTrial* selected_trial() const;
  std::string shown_workload() const;  // of the kernel that is shown; empty: none
  std::string shown_name() const;      // of that kernel, in its plan
  // Whether the kernel that is shown is the one that the selected run tunes.
  bool is_of_shown_kernel() const;
  // A script of a person's own for that kernel: the one being written, else the one in use.
  std::string own_script() const;
  std::string script_in_use() const;
  const std::vector<tune::KnobRule>& rules() const;

  Document* document_;
  TuningRuns* runs_;
  TuningControls* controls_;
  SteeringBar* steering_;
  RunPictures* pictures_;
  TrialTable* trials_;
  TrialsOfRound* sorted_;
  QTableView* table_;
  TrialScript* script_;
  QLabel* said_;
  CommandBar* command_;
  QComboBox* run_choice_;
  QPushButton *records_, *use_all_;
  int run_ = -1, trial_ = -1;
  std::size_t shown_runs_ = 0;
  QString note_;              // what a button came to; until the next run or edit
  bool follows_best_ = true;  // until somebody selects another trial
  bool following_ = false;    // the table follows the selection, not making it
};

}  // namespace loopglass::views
