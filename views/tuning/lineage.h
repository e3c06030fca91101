// Where a trial came from: the chain of its first parents back to a first sample, as differences of
// scripts.
#pragma once

#include "views/tuning/shown_run.h"

#include <QTextBrowser>

namespace loopglass::views {

// The trial and its first parents, the trial first; places in the run.
std::vector<int> lineage_of(const ShownRun& run, int trial);

class LineageView : public QTextBrowser {
  Q_OBJECT

 public:
  explicit LineageView(QWidget* parent = nullptr);
  void show_trial(const ShownRun* run, int trial);

 signals:
  void trialChosen(int trial);

 private:
  QString shown_;
};

}  // namespace loopglass::views
