#include "views/tuning/tuning_chart.h"

#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/log_ticks.h"
#include "views/widgets/round_step.h"

#include <QHelpEvent>
#include <QLocale>
#include <QToolTip>
#include <QtCharts/QCategoryAxis>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLegendMarker>
#include <QtCharts/QLineSeries>
#include <QtCharts/QScatterSeries>
#include <QtCharts/QValueAxis>

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopglass::views {

namespace {

// As much of a script as a tip has room for.
QString beginning_of(const QString& script) {
  constexpr int most = 24;
  const QStringList lines = script.trimmed().split('\n');
  if (lines.size() <= most) return lines.join('\n');
  return lines.mid(0, most - 1).join('\n') + QObject::tr("\n… %1 lines in all").arg(lines.size());
}

QString tip_of(const ShownRun& run, const ShownTrial& trial) {
  if (!trial.failure.empty())
    return QObject::tr("trial %1, %2: %3: %4")
               .arg(trial.number)
               .arg(text(trial.how), text(trial.failure), text(trial.reason)) +
           (trial.words.empty() ? QString() : "\n" + text(trial.words));
  QString tip = QObject::tr("trial %1, %2: %3%4")
                    .arg(trial.number)
                    .arg(text(trial.how), trial.left_early ? "> " : "",
                         text(readable_time(Milliseconds(trial.ms))));
  if (trial.in_turns_ms)
    tip += QObject::tr(", %1 in turns with the fastest")
               .arg(text(readable_time(Milliseconds(*trial.in_turns_ms))));
  if (trial.left_early) tip += QObject::tr(", left early");
  if (trial.same_code) tip += QObject::tr(", the same code as an earlier trial's");
  if (run.flops > 0)
    tip += QString(", %1%2 GFLOP/s")
               .arg(trial.left_early ? "< " : "")
               .arg(run.flops / trial.best_known_ms() * 1e-6, 0, 'f', 1);
  if (!trial.words.empty()) tip += "\n" + text(trial.words);
  if (!trial.script.empty()) tip += "\n\n" + beginning_of(text(trial.script));
  return tip;
}

}  // namespace

TuningChart::TuningChart(QWidget* parent)
    : QChartView(parent), x_(new QValueAxis), y_(new QCategoryAxis) {
  setRenderHint(QPainter::Antialiasing);
  setFrameShape(QFrame::NoFrame);
  setMinimumSize(260, 140);
  chart()->addAxis(x_, Qt::AlignBottom);
  chart()->addAxis(y_, Qt::AlignLeft);
  x_->setLabelFormat("%g");
  y_->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
  y_->setTruncateLabels(false);  // to dots alone, where the chart is low
  chart()->setMargins({2, 2, 2, 2});
  chart()->legend()->setAlignment(Qt::AlignTop);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    apply_theme();
    rebuild();
  });
  apply_theme();
}

void TuningChart::apply_theme() {
  const Theme& t = theme();
  setBackgroundBrush(t.surface);
  chart()->setBackgroundBrush(t.surface);
  chart()->setBackgroundRoundness(0);
  chart()->legend()->setLabelColor(t.text);
  chart()->legend()->setFont(t.small_font());
  chart()->setTitleBrush(t.muted);
  chart()->setTitleFont(t.text_font());
  for (QAbstractAxis* axis : {static_cast<QAbstractAxis*>(x_), static_cast<QAbstractAxis*>(y_)}) {
    axis->setLabelsColor(t.muted);
    axis->setLabelsFont(t.small_font());
    axis->setTitleBrush(t.muted);
    axis->setTitleFont(t.small_font());
    axis->setGridLineColor(t.border);
    axis->setLinePenColor(t.border);
  }
}

// The same for as long as those before it are there.
QColor TuningChart::color_of(int number) const {
  int run = 0;  // among those that are drawn
  for (int before = 0; before < number; ++before)
    run += is_drawn(runs_[static_cast<std::size_t>(before)]);
  return run == 0 ? theme().accent : theme().group(static_cast<std::size_t>(run));
}

bool TuningChart::is_drawn(const ShownRun& run) const {
  return !run.trials.empty() && selected_run_ >= 0 && selected_run_ < std::ssize(runs_) &&
         run.workload == runs_[static_cast<std::size_t>(selected_run_)].workload;
}

// In which the fastest is one or more: a logarithmic axis of small fractions cannot be read.
void TuningChart::choose_unit() {
  double least = std::numeric_limits<double>::infinity();
  for (const ShownRun& run : runs_)
    if (is_drawn(run))
      for (const ShownTrial& trial : run.trials)
        if (!std::isnan(trial.ms)) least = std::min(least, trial.ms);
  unit_ = least >= 1000                         ? 1000
          : least >= 1 || !std::isfinite(least) ? 1
          : least >= 1e-3                       ? 1e-3
                                                : 1e-6;
  unit_name_ = unit_ == 1000   ? tr("seconds")
               : unit_ == 1    ? tr("milliseconds")
               : unit_ == 1e-3 ? tr("microseconds")
                               : tr("nanoseconds");
  unit_symbol_ = unit_ == 1000 ? "s" : unit_ == 1 ? "ms" : unit_ == 1e-3 ? "µs" : "ns";
}

void TuningChart::set_shows(Shows shows) {
  shows_ = shows;
  rebuild();
}

void TuningChart::show_runs(const std::vector<ShownRun>& runs, int selected_run, int selected_trial,
                            int until_round) {
  until_round_ = until_round;
  runs_ = runs;
  selected_run_ = selected_run;
  selected_trial_ = selected_trial;
  rebuild();
}

void TuningChart::add_run(int number, const ShownRun& run) {
  auto* dots = new QScatterSeries;
  auto* line = new QLineSeries;
  const bool over_trials = shows_ == Shows::OverTrials;
  std::vector<int> places;  // of the dots among the trials
  double best = std::numeric_limits<double>::infinity();
  const int until = round_of(number);
  int last = 0;
  for (std::size_t t = 0; t < run.trials.size(); ++t) {
    const ShownTrial& trial = run.trials[t];
    if (trial.round > until) break;
    last = trial.number;
    // As the search saw it: which is the best of all is found out in turns, at the end.
    const double ms = trial.ms;
    if (std::isnan(ms)) continue;
    if (!over_trials && !trial.predicted) continue;
    const double x = over_trials ? trial.number : *trial.predicted;
    dots->append(x, height_of(ms));
    places.push_back(static_cast<int>(t));
    dots_.push_back({number, static_cast<int>(t), dots, dots->points().back()});
    most_x_ = std::max(most_x_, x);
    least_x_ = std::min(least_x_, x);
    least_y_ = std::min(least_y_, ms);
    most_y_ = std::max(most_y_, ms);
    if (ms < best && !trial.left_early) {
      if (std::isfinite(best)) line->append(x, height_of(best));
      best = ms;
      line->append(x, height_of(best));
    }
  }
  if (std::isfinite(best)) line->append(last, height_of(best));
  const QColor color = color_of(number);
  QColor faint = color;
  faint.setAlphaF(0.55F);
  dots->setMarkerSize(7);
  dots->setColor(faint);
  dots->setBorderColor(Qt::transparent);
  // All are of one kernel.
  const QString title =
      QString("%1: %2, seed %3").arg(number + 1).arg(title_of(run)).arg(run.settings.seed);
  dots->setName(title);
  line->setPen(QPen(color, 2));
  line->setName(title);
  const auto add = [&](QXYSeries* series) {
    chart()->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
  };
  if (over_trials) add(line);
  else delete line;
  add(dots);
  // One entry a run: its line, or its dots where there is none.
  if (over_trials)
    for (QLegendMarker* marker : chart()->legend()->markers(dots)) marker->setVisible(false);
  connect(dots, &QScatterSeries::clicked, this, [this, number, places, dots](const QPointF& at) {
    const auto point = dots->points().indexOf(at);
    if (point >= 0) emit trialChosen(number, places[static_cast<std::size_t>(point)]);
  });
}

// Those of which there is no time stand at the lower edge.
void TuningChart::add_failed(int number, const ShownRun& run, double height) {
  auto* marks = new QScatterSeries;
  std::vector<int> places;
  for (std::size_t t = 0; t < run.trials.size(); ++t) {
    const ShownTrial& trial = run.trials[t];
    if (trial.round > round_of(number)) break;
    if (trial.failure.empty()) continue;
    marks->append(trial.number, height);
    places.push_back(static_cast<int>(t));
    dots_.push_back({number, static_cast<int>(t), marks, marks->points().back()});
  }
  if (places.empty()) return delete marks;
  marks->setMarkerShape(QScatterSeries::MarkerShapeTriangle);
  marks->setMarkerSize(7);
  marks->setColor(theme().error);
  marks->setBorderColor(Qt::transparent);
  chart()->addSeries(marks);
  marks->attachAxis(x_);
  marks->attachAxis(y_);
  for (QLegendMarker* marker : chart()->legend()->markers(marks)) marker->setVisible(false);
  connect(marks, &QScatterSeries::clicked, this, [this, number, places, marks](const QPointF& at) {
    const auto point = marks->points().indexOf(at);
    if (point >= 0) emit trialChosen(number, places[static_cast<std::size_t>(point)]);
  });
}

int TuningChart::round_of(int run) const {
  return run == selected_run_ ? until_round_ : std::numeric_limits<int>::max();
}

// Who was tried in the round that is looked at, and whose children they are.
void TuningChart::add_round(const ShownRun& run) {
  auto* dots = new QScatterSeries;
  const auto draw = [&](QXYSeries* series) {
    chart()->addSeries(series);
    series->attachAxis(x_);
    series->attachAxis(y_);
    for (QLegendMarker* marker : chart()->legend()->markers(series)) marker->setVisible(false);
  };
  for (const ShownTrial& trial : run.trials) {
    if (trial.round != until_round_ || std::isnan(trial.ms)) continue;
    dots->append(trial.number, height_of(trial.ms));
    for (const int parent : trial.parents) {
      if (parent < 0 || parent >= std::ssize(run.trials)) continue;
      const ShownTrial& from = run.trials[static_cast<std::size_t>(parent)];
      if (std::isnan(from.ms)) continue;
      auto* descent = new QLineSeries;
      descent->append(from.number, height_of(from.ms));
      descent->append(trial.number, height_of(trial.ms));
      QColor faint = theme().muted;
      faint.setAlphaF(0.6F);
      descent->setPen(QPen(faint, 1, Qt::DashLine));
      draw(descent);
    }
  }
  dots->setMarkerSize(9);
  dots->setColor(theme().accent);
  dots->setBorderColor(theme().surface);
  draw(dots);
}

void TuningChart::rebuild() {
  dots_.clear();
  chart()->removeAllSeries();
  most_x_ = shows_ == Shows::OverTrials ? 8 : 0.1;
  least_x_ = 0;
  least_y_ = std::numeric_limits<double>::infinity();
  most_y_ = 0;
  choose_unit();
  for (std::size_t r = 0; r < runs_.size(); ++r)
    if (is_drawn(runs_[r])) add_run(static_cast<int>(r), runs_[r]);
  if (shows_ == Shows::OverTrials && selected_run_ >= 0 && selected_run_ < std::ssize(runs_) &&
      until_round_ < runs_[static_cast<std::size_t>(selected_run_)].rounds())
    add_round(runs_[static_cast<std::size_t>(selected_run_)]);
  const bool is_empty = !std::isfinite(least_y_);
  if (is_empty) least_y_ = 1, most_y_ = 2;
  x_->setVisible(!is_empty);
  y_->setVisible(!is_empty);
  chart()->setTitle(
      !is_empty ? QString()
      : shows_ == Shows::Foretold && !runs_.empty()
          ? tr("No trial has a score yet: a cost model gives some once it has learned.")
          : tr("Trials come here: each a dot, and the best so far a line."));
  const bool has_selection =
      selected_run_ >= 0 && selected_trial_ >= 0 && selected_run_ < static_cast<int>(runs_.size());
  if (has_selection) {
    const auto& trials = runs_[static_cast<std::size_t>(selected_run_)].trials;
    if (selected_trial_ < static_cast<int>(trials.size())) {
      const ShownTrial& trial = trials[static_cast<std::size_t>(selected_trial_)];
      const bool over_trials = shows_ == Shows::OverTrials;
      const double ms = trial.ms;
      if (!std::isnan(ms) && (over_trials || trial.predicted)) {
        auto* mark = new QScatterSeries;
        mark->append(over_trials ? trial.number : *trial.predicted, height_of(ms));
        mark->setMarkerSize(13);
        mark->setColor(Qt::transparent);
        mark->setBorderColor(theme().mark);
        mark->setPen(QPen(theme().mark, 2));
        chart()->addSeries(mark);
        mark->attachAxis(x_);
        mark->attachAxis(y_);
        for (QLegendMarker* marker : chart()->legend()->markers(mark)) marker->setVisible(false);
      }
    }
  }
  constexpr double most_steps = 5;
  const double step = round_step(most_x_, most_steps);  // of trials, which are whole numbers
  x_->setTickType(QValueAxis::TicksDynamic);
  x_->setTickAnchor(0);
  x_->setTickInterval(shows_ == Shows::OverTrials ? std::max(1.0, step) : step);
  const double margin = 0.02 * (most_x_ - least_x_);
  x_->setRange(std::min(0.0, least_x_) - margin, most_x_ + margin);
  const double least = least_y_ / unit_ / 1.1, most = most_y_ / unit_ * 1.1;
  for (const QString& label : y_->categoriesLabels()) y_->remove(label);
  y_->setRange(std::log10(least), std::log10(most));
  y_->setStartValue(std::log10(least));
  for (const double tick : log_ticks(least, most))
    y_->append(QLocale::c().toString(tick, 'g', 4), std::log10(tick));
  constexpr double above_edge = 0.03;  // of the axis, so that all of a mark is seen
  if (shows_ == Shows::OverTrials && !is_empty)
    for (std::size_t r = 0; r < runs_.size(); ++r)
      if (is_drawn(runs_[r]))
        add_failed(static_cast<int>(r), runs_[r],
                   std::log10(least) + above_edge * std::log10(most / least));
  fit();
}

double TuningChart::height_of(double ms) const { return std::log10(ms / unit_); }

auto TuningChart::dot_at(const QPoint& place) const -> const Dot* {
  constexpr double near = 9;
  const Dot* nearest = nullptr;
  double least = near * near;
  for (const Dot& dot : dots_) {
    const QPointF away = chart()->mapToPosition(dot.at, dot.series) - place;
    const double squared = QPointF::dotProduct(away, away);
    if (squared > least) continue;
    least = squared;
    nearest = &dot;
  }
  return nearest;
}

bool TuningChart::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QChartView::viewportEvent(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const Dot* dot = dot_at(help->pos())) {
    const ShownRun& run = runs_[static_cast<std::size_t>(dot->run)];
    QToolTip::showText(help->globalPos(),
                       tip_of(run, run.trials[static_cast<std::size_t>(dot->trial)]), viewport());
  } else {
    QToolTip::hideText();
  }
  return true;
}

void TuningChart::fit() {
  constexpr double least_with_words = 210;
  const bool has_room = height() >= least_with_words;
  chart()->legend()->setVisible(has_room && !chart()->series().isEmpty());
  // Trials go without saying, scores do not.
  x_->setTitleText(shows_ == Shows::OverTrials ? tr("trial")
                   : has_room ? tr("score of the cost model: further right should be faster")
                              : tr("score: right should be faster"));
  x_->setTitleVisible((has_room || shows_ != Shows::OverTrials) && x_->isVisible());
  y_->setTitleText(has_room ? unit_name_ : unit_symbol_);
}

void TuningChart::resizeEvent(QResizeEvent* event) {
  QChartView::resizeEvent(event);
  fit();
}

}  // namespace loopglass::views
