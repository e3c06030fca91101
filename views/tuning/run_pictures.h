// What is drawn of a run: times over trials, the model's word against the clock's, knobs, failures,
// and the kernels of a network; each up to the round that the slider stands at.
#pragma once

#include "views/tuning/shown_run.h"

#include <QWidget>

class QComboBox;
class QStackedWidget;

namespace loopglass::views {

class FailureList;
class KernelShares;
class KnobChart;
class KnobMap;
class RoundBar;
class TuningChart;

class RunPictures : public QWidget {
  Q_OBJECT

 public:
  explicit RunPictures(QWidget* parent = nullptr);

  // `run` and `trial`: those that are selected, by their places; below 0: none. `network`: the
  // kernels that were tuned together last.
  void show_runs(const std::vector<ShownRun>& runs, int run, int trial,
                 const std::vector<const ShownRun*>& network);

  // The last round that is shown; nullopt: all of them.
  std::optional<int> round() const;
  bool is_of_network() const;
  void show_network(bool shows);

 signals:
  void trialChosen(int run, int trial);
  void valueChosen(const std::string& knob, const std::string& value, const QPoint& at);
  void kernelChosen(const std::string& workload);
  void roundChanged();
  void pictureChanged();

 private:
  void draw();
  int shown_sketch() const;
  const ShownRun* selected_run() const;

  QComboBox *choice_, *sketch_choice_;
  QStackedWidget* stack_;
  TuningChart* chart_;
  KnobChart* knobs_;
  KnobMap* map_;
  FailureList* failures_;
  KernelShares* shares_;
  RoundBar* rounds_;
  const std::vector<ShownRun>* runs_ = nullptr;
  int run_ = -1, trial_ = -1;
};

}  // namespace loopglass::views
