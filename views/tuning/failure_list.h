// Why trials failed: each class with how many there are, and below it each reason with an example
// that can be looked at and replayed.
#pragma once

#include "views/tuning/shown_run.h"

#include <QTreeWidget>

namespace loopglass::views {

class FailureList : public QTreeWidget {
  Q_OBJECT

 public:
  explicit FailureList(QWidget* parent = nullptr);
  void show_run(const ShownRun* run, int until_round);

 signals:
  void trialChosen(int trial);

 private:
  std::vector<std::pair<std::string, std::string>> shown_;  // classes and reasons, by trial
};

}  // namespace loopglass::views
