// A slider over the rounds of a run: what was known after each, and who was tried in it.
#pragma once

#include "views/tuning/shown_run.h"

#include <QWidget>

class QLabel;
class QSlider;
class QToolButton;

namespace loopglass::views {

class RoundBar : public QWidget {
  Q_OBJECT

 public:
  explicit RoundBar(QWidget* parent = nullptr);
  void show_run(const ShownRun* run);
  // All rounds, whatever comes: where the slider stands at its end.
  bool is_at_end() const;
  int round() const;  // the last that is shown; at the end a number beyond them all

 signals:
  void roundChanged();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void tell();
  void fit_words();

  QSlider* slider_;
  QToolButton *back_, *on_;
  QLabel* words_;
  QString whole_words_;
  ShownRun run_;
};

}  // namespace loopglass::views
