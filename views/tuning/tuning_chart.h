// Trials as dots and the best so far as a line, of several runs; or what the model foretold against
// what was measured.
#pragma once

#include "views/tuning/tuning_runs.h"

#include <QtCharts/QChartView>

#include <limits>

QT_BEGIN_NAMESPACE
class QCategoryAxis;
class QScatterSeries;
class QValueAxis;
QT_END_NAMESPACE

namespace loopglass::views {

class TuningChart : public QChartView {
  Q_OBJECT

 public:
  enum class Shows : std::uint8_t { OverTrials, Foretold };

  explicit TuningChart(QWidget* parent = nullptr);
  void set_shows(Shows shows);
  // `selected`: a run and a trial of it, by their places; below 0: none. Of that run trials up to
  // this round are drawn, those of the round itself with lines from where they came from.
  void show_runs(const std::vector<ShownRun>& runs, int selected_run, int selected_trial,
                 int until_round);

 signals:
  void trialChosen(int run, int trial);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  bool viewportEvent(QEvent* event) override;

 private:
  struct Dot {
    int run, trial;  // places
    QScatterSeries* series;
    QPointF at;
  };
  const Dot* dot_at(const QPoint& place) const;  // the nearest, if it is near; else null
  // Along the axis: of milliseconds.
  double height_of(double ms) const;
  void apply_theme();
  void rebuild();
  // Of the kernel whose run is selected: times of others are none to compare with.
  bool is_drawn(const ShownRun& run) const;
  void choose_unit();
  void add_run(int number, const ShownRun& run);
  void add_failed(int number, const ShownRun& run, double height);
  void add_round(const ShownRun& run);
  int round_of(int run) const;  // the last that is drawn
  QColor color_of(int number) const;
  void fit();

  Shows shows_ = Shows::OverTrials;
  std::vector<ShownRun> runs_;
  std::vector<Dot> dots_;
  int selected_run_ = -1, selected_trial_ = -1;
  int until_round_ = std::numeric_limits<int>::max();
  QValueAxis* x_;
  QCategoryAxis* y_;                                            // decimal logarithms
  double most_x_ = 1, least_y_ = 1, most_y_ = 1, least_x_ = 0;  // milliseconds
  double unit_ = 1;                                             // of the axis, in milliseconds
  QString unit_name_, unit_symbol_;
};

}  // namespace loopglass::views
