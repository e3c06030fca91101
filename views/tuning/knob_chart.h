// Knobs against speed, in parallel coordinates: an axis for each knob of a sketch and one for the
// time, a line for each trial, the faster the warmer. Arrow keys walk over the values; Enter, or a
// click on a value, offers to pin or to forbid it.
#pragma once

#include "views/tuning/knob_speeds.h"

#include <QWidget>

#include <set>

namespace loopglass::views {

class KnobChart : public QWidget {
  Q_OBJECT

 public:
  explicit KnobChart(QWidget* parent = nullptr);
  // `selected`: a trial by its place; below 0: none.
  void show_run(const ShownRun* run, int sketch, int until_round, int selected);

  QSize sizeHint() const override { return {520, 260}; }

 signals:
  void trialChosen(int trial);
  void valueChosen(const std::string& knob, const std::string& value, const QPoint& at);  // global

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Place {
    int knob = -1, value = -1;
    friend bool operator==(const Place&, const Place&) = default;
  };
  const std::vector<tune::Knob>& knobs() const;
  QRectF plot() const;
  double axis_x(int knob) const;  // of the time's where it is one beyond the knobs
  double value_y(int knob, int value) const;
  QPolygonF line_of(const ShownTrial& trial) const;
  int trial_at(const QPointF& at) const;
  Place value_at(const QPointF& at) const;
  QString words_of(const Place& place) const;
  QString doc_of(int knob) const;
  int title_at(const QPointF& at) const;  // of which knob; -1: of none
  // Values whose names are written, so far apart: where there is no room for all, first those that
  // the keys are at, that something is said of, and that the best trial has.
  std::set<int> named_values(int knob, double apart) const;
  void paint_axes(QPainter& painter) const;
  void paint_lines(QPainter& painter) const;

  ShownRun run_;
  bool has_run_ = false;
  int sketch_ = 0, selected_ = -1, hovered_ = -1;
  Place cursor_;
  KnobSpeeds speeds_;
};

}  // namespace loopglass::views
