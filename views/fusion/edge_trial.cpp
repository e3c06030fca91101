#include "views/fusion/edge_trial.h"

#include "views/document/command_line.h"
#include "views/document/stand_ins.h"
#include "views/fusion/outcome_table.h"
#include "views/fusion/time_bars.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/work_page.h"
#include "views/widgets/wrap_layout.h"

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

const QString edge_trial_lane = "edge trial";

}  // namespace

EdgeTrial::EdgeTrial(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      measure_(new QPushButton),
      stop_(new QPushButton(tr("Stop"))),
      bar_(new QProgressBar),
      times_(new TimeBars),
      words_(new QLabel) {
  measure_->setObjectName("measureEdge");
  stop_->setObjectName("stopMeasuringEdge");
  bar_->setTextVisible(false);
  bar_->setMaximumSize(160, 10);
  words_->setObjectName("edgeTimes");
  words_->setWordWrap(true);
  words_->setTextFormat(Qt::RichText);
  words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* row = new WrapLayout(6);
  row->addWidget(stop_);
  row->addWidget(bar_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 0, 6, 0);
  column->setSpacing(4);
  column->addLayout(row);
  column->addWidget(times_);
  column->addWidget(words_);
  connect(measure_, &QPushButton::clicked, this, &EdgeTrial::begin);
  connect(stop_, &QPushButton::clicked, this, &EdgeTrial::stop);
  connect(&document->jobs(), &JobQueue::becameIdle, this, &EdgeTrial::start);
  // The work may be stopped elsewhere; later, when a newer job has had time to take its place.
  connect(
      &document->jobs(), &JobQueue::changed, this,
      [this] {
        if (trial_ && trial_->state == State::Measuring && !document_->jobs().busy(edge_trial_lane))
          fail(tr("Stopped."));
      },
      Qt::QueuedConnection);
  connect(&document->fusion(), &FusionStage::planChanged, this, &EdgeTrial::notice_plan);
  connect(document, &Document::planRefused, this, [this](const Diagnostic& problem) {
    if (trial_ && trial_->state == State::Waiting) fail(problem_text(problem));
  });
}

// What is asked already is measured; else the opposite of what the strategy did.
Wish EdgeTrial::wish_to_try() const {
  const Wish asked = wish_for(*document_, edge_);
  return asked != Wish::Leave ? asked : fused_ ? Wish::Forbid : Wish::Force;
}

void EdgeTrial::show_decision(const fusion::Decision& decision, bool hidden) {
  edge_ = {decision.producer, decision.consumer};
  fused_ = decision.fused;
  hidden_ = hidden;
  measure_->setVisible(!hidden);
  const bool is_asked = wish_for(*document_, edge_) != Wish::Leave;
  const bool forces = wish_to_try() == Wish::Force;
  measure_->setText(is_asked ? tr("Measure")
                    : forces ? tr("Force and Measure")
                             : tr("Forbid and Measure"));
  measure_->setToolTip(
      (is_asked
           ? tr("Times the plans with and without what is asked of this edge, in turns (%1, "
                "--measure)")
           : tr("Asks for it, then times the plans with and without it, in turns (%1, --measure)"))
          .arg(forces ? "--force" : "--forbid"));
  show_state();
}

void EdgeTrial::begin() {
  if (!document_->fusion().plan() || document_->fusion().is_hidden(edge_)) return;
  document_->jobs().cancel(edge_trial_lane);
  const Wish wish = wish_to_try();
  Trial trial{edge_,
              wish,
              document_->plan_asked(),
              document_->constraints(),
              document_->history().last_graph(),
              State::Waiting,
              {},
              {}};
  trial.without.forced.erase(edge_);
  trial.without.forbidden.erase(edge_);
  trial.asked.constraints = trial.without;
  (wish == Wish::Force ? trial.asked.constraints.forced : trial.asked.constraints.forbidden)
      .insert(edge_);
  trial_ = std::move(trial);
  had_focus_ = window()->focusWidget() == measure_;
  ++round_;
  show_state();
  if (wish_for(*document_, edge_) != wish) ask(*document_, {edge_}, wish);
  start();
}

void EdgeTrial::start() {
  if (!trial_ || trial_->state != State::Waiting || !document_->jobs().idle() ||
      !document_->fusion().plan())
    return;
  if (document_->constraints() != trial_->asked.constraints)
    return fail(tr("The plan was made without it."));
  trial_->state = State::Measuring;
  debug::WhatIfOptions options;
  options.cost = document_->session()->cost_model();
  options.measure = true;
  options.workers = document_->workers();
  options.schedules = document_->schedules_in_use();
  const PlanAsked& asked = trial_->asked;
  const auto edits = asked.strategy == "manual"
                         ? std::make_shared<const fusion::EditScript>(asked.edits)
                         : nullptr;
  const std::vector<debug::PlanVariant> plans{{asked.strategy, trial_->without, edits},
                                              {asked.strategy, asked.constraints, edits}};
  using Report = std::pair<QString, double>;
  const auto tell =
      handed_over<Report>(document_->jobs(), this, [this, round = round_](const Report& told) {
        if (round == round_) report(told.first, told.second);
      });
  document_->jobs().run<Pair>(
      edge_trial_lane, tr("Measuring an edge"),
      [toolchain = document_->toolchain(), graph = trial_->graph, plans, options,
       tell](const JobContext& context) mutable {
        const Progress progress = [&](std::string_view what, double fraction) {
          if (context.progress) context.progress(what, fraction);
          tell({text(what), fraction});
        };
        options.control = {progress, context.cancellation};
        return debug::what_if(toolchain, graph, plans, options);
      },
      [this](const Pair& pair) { accept(pair); },
      [this](const Diagnostic& problem) { fail(problem_text(problem)); }, this);
  show_state();
  // While the plan was made again there was no card.
  if (std::exchange(had_focus_, false)) stop_->setFocus();
}

void EdgeTrial::accept(const Pair& pair) {
  if (!trial_) return;
  const debug::PlanOutcome &without = pair[0], &with = pair[1];
  trial_->state = State::Done;
  trial_->outcomes = pair;
  trial_->words = measured_words(without, with).toHtmlEscaped();
  // The command compares with a plan of which nothing is asked.
  if (trial_->without.empty() && trial_->asked.strategy != "manual")
    trial_->words += QString("<br><code style='color:%1'>%2 --measure --threads %3</code>")
                         .arg(theme().muted.name(), fuse_command(*document_).toHtmlEscaped())
                         .arg(with.threads);
  if (!with.agrees)
    trial_->words +=
        QString("<br><span style='color:%1'>%2</span>")
            .arg(theme().error.name(), tr("⚠ The results of the two plans are not the same."));
  if (const QString warning = stand_in_warning(*document_); !warning.isEmpty())
    trial_->words += "<br>" + warning;
  show_state();
}

void EdgeTrial::fail(const QString& words) {
  trial_->state = State::Failed;
  trial_->words = words;
  show_state();
}

void EdgeTrial::stop() {
  document_->jobs().cancel(edge_trial_lane);
  if (working()) fail(tr("Stopped."));
}

void EdgeTrial::report(const QString& what, double fraction) {
  if (!trial_ || trial_->state != State::Measuring) return;
  trial_->words = what.toHtmlEscaped();
  bar_->setRange(0, fraction < 0 ? 0 : 1000);
  if (fraction >= 0) bar_->setValue(static_cast<int>(fraction * 1000));
  show_state();
}

// Times of another plan than the one there is say nothing of this one.
void EdgeTrial::notice_plan() {
  if (!trial_ || !document_->fusion().plan()) return;
  const PlanAsked& now = document_->plan_asked();
  const PlanAsked& then = trial_->asked;
  const bool is_of_trial =
      now.constraints == then.constraints || now.constraints == trial_->without;
  if (document_->history().last_graph() == trial_->graph && now.strategy == then.strategy &&
      now.edits == then.edits && is_of_trial)
    return;
  document_->jobs().cancel(edge_trial_lane);
  trial_.reset();
  show_state();
}

QString EdgeTrial::edge_words(const fusion::Edge& edge) const {
  const auto graph = document_->history().last_graph();
  const graph::Node *producer = graph ? graph->find(edge.producer) : nullptr,
                    *consumer = graph ? graph->find(edge.consumer) : nullptr;
  return producer && consumer ? text(producer->name) + " → " + text(consumer->name) : QString();
}

void EdgeTrial::show_state() {
  const bool mine = trial_ && trial_->edge == edge_;
  setVisible(!hidden_ && trial_ && (mine || working()));
  bar_->setVisible(working());
  // A button that is disabled or hidden hands the focus to whatever comes next, and the card would
  // scroll there, away from what was asked for: these two hand it to one another.
  QPushButton *now = working() ? stop_ : measure_, *before = working() ? measure_ : stop_;
  if (working()) stop_->show();
  if (!working()) measure_->setEnabled(true);
  if (window()->focusWidget() == before) now->setFocus();
  measure_->setEnabled(!working());
  stop_->setVisible(working());
  if (!trial_) return;
  QString said = trial_->words;
  if (trial_->state == State::Waiting) said = tr("Waiting for other work to end…");
  if (trial_->state == State::Measuring && said.isEmpty()) said = tr("Compiling both plans…");
  if (!mine) said = edge_words(trial_->edge).toHtmlEscaped() + ": " + said;
  words_->setText(said);
  times_->setVisible(!trial_->outcomes.empty());
  if (trial_->outcomes.empty()) return;
  const debug::PlanOutcome &without = trial_->outcomes[0], &with = trial_->outcomes[1];
  times_->show_times({{tr("before"), time_words(without), *without.time},
                      {trial_->wish == Wish::Force ? tr("forced") : tr("forbidden"),
                       time_words(with), *with.time}});
}

}  // namespace loopglass::views
