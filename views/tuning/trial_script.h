// The script of a trial and where it came from, and what one may do with it.
#pragma once

#include "views/tuning/shown_run.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;
class QPushButton;

namespace loopglass::views {

class LineageView;

class TrialScript : public QWidget {
  Q_OBJECT

 public:
  explicit TrialScript(QWidget* parent = nullptr);

  // How the kernel that is shown stands to it.
  struct Use {
    bool may_be_used = false;  // the run is of that kernel
    bool is_in_use = false;
  };
  // Null, below 0: none.
  void show_trial(const ShownRun* run, int trial, const Use& use);
  // Why a script of one's own may be tried, or may not.
  void offer_own(bool may_be_tried, const QString& why);

 signals:
  void useWanted();
  void editWanted();
  void ownWanted();
  void trialChosen(int trial);

 private:
  QLabel* words_;
  QPlainTextEdit* script_;
  LineageView* lineage_;
  QPushButton *use_, *edit_, *own_;
};

}  // namespace loopglass::views
