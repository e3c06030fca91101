// What is asked of a run of the tuner: space, search, model and budget; and how it is begun, held
// and ended.
#pragma once

#include "core/tune/tuning.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;

namespace loopglass::views {

class TuningControls : public QWidget {
  Q_OBJECT

 public:
  explicit TuningControls(QWidget* parent = nullptr);

  tune::TuneSettings settings() const;
  int threads() const;
  // `hindrance`: why none can be begun; empty: one can.
  // For one kernel, and for all.
  void show_state(const QString& hindrance, const QString& hindrance_for_all, bool is_working);
  void tell(const QString& words);  // rich text, beside the buttons

  // As the button does, where there is something to be held.
  void toggle_pause();

 signals:
  void startWanted();     // of the kernel that is shown
  void startAllWanted();  // of all kernels
  void pauseWanted(bool is_held);
  void stopWanted();
  void changed();  // what is asked

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  QComboBox *space_, *search_, *model_, *layout_;
  QSpinBox *count_, *threads_, *seed_;
  QPushButton *start_, *start_all_, *pause_, *stop_;
  QLabel* state_;
};

}  // namespace loopglass::views
