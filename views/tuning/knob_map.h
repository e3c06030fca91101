// Two knobs against each other: a cell for each pair of values, as warm as the fastest trial there
// is fast; empty cells were not tried.
#pragma once

#include "views/tuning/knob_speeds.h"

#include <QWidget>

class QComboBox;

namespace loopglass::views {

class KnobMap : public QWidget {
  Q_OBJECT

 public:
  explicit KnobMap(QWidget* parent = nullptr);
  void show_run(const ShownRun* run, int sketch, int until_round, int selected);

 signals:
  void trialChosen(int trial);

 private:
  class Cells;
  void offer_knobs();

  QComboBox *across_, *up_;
  Cells* cells_;
};

}  // namespace loopglass::views
