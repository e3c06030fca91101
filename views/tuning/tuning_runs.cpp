#include "views/tuning/tuning_runs.h"

#include "core/tuning_task.h"
#include "views/document/lanes.h"
#include "views/text.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>

namespace loopglass::views {

// What the working thread has to tell, and whether it may go on.
struct TuningRuns::Mailbox {
  std::mutex mutex;
  std::condition_variable goes_on;
  bool is_paused = false;
  std::vector<std::pair<ShownTrial, bool>> trials;  // and whether it was measured once more
  int best = 0;
  double seconds = 0, rank_correlation = 0;
  bool is_finishing = false;

  void wait(const Cancellation& cancellation) {
    constexpr std::chrono::milliseconds slice(50);
    std::unique_lock lock(mutex);
    while (is_paused && !cancellation.requested()) goes_on.wait_for(lock, slice);
  }
};

namespace {

constexpr int milliseconds_between_looks = 80;

ShownTrial shown(const tune::Trial& trial) {
  ShownTrial shown;
  shown.number = trial.number;
  shown.ms = trial.outcome.milliseconds();
  if (!std::isfinite(shown.ms)) shown.ms = std::numeric_limits<double>::quiet_NaN();
  shown.predicted = trial.predicted;
  shown.left_early = trial.outcome.left_early;
  shown.same_code = trial.outcome.same_code;
  shown.parents = trial.parents;
  shown.how = trial.how;
  shown.words = trial.words;
  shown.script = trial.script;
  if (trial.outcome.failure) {
    shown.failure = name(trial.outcome.failure->kind);
    shown.reason = trial.outcome.failure->diagnostic.what;
    shown.is_refused = trial.outcome.failure->kind == measure::FailureKind::Illegal;
  }
  return shown;
}

}  // namespace

std::size_t ShownRun::measured() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      trials, [](const ShownTrial& trial) { return trial.number > 0 && !trial.is_refused; }));
}

QString title_of(const ShownRun& run) {
  QString title =
      QString("%1, %2, %3")
          .arg(text(run.settings.space), text(run.settings.search), text(run.settings.cost_model));
  if (run.settings.layout) title += ", " + text(name(*run.settings.layout));
  return title;
}

TuningRuns::TuningRuns(Document* document, QObject* parent)
    : QObject(parent), document_(document), timer_(new QTimer(this)) {
  timer_->setInterval(milliseconds_between_looks);
  connect(timer_, &QTimer::timeout, this, &TuningRuns::drain);
  // Another kernel may be tuned, or none.
  connect(&document->kernels(), &KernelStage::kernelChanged, this, &TuningRuns::changed);
}

TuningRuns::~TuningRuns() {
  if (mailbox_) document_->jobs().cancel(lanes::tuning);
}

QString TuningRuns::hindrance() const {
  if (mailbox_) return tr("A run is under way.");
  const auto kernel = document_->kernels().kernel();
  if (!kernel) return tr("Select a kernel to tune it.");
  if (kernel->stages->is_view)
    return tr("This kernel is not run: its result lies where it belongs.");
  if (!document_->workers()) return tr("There is nothing to measure with here.");
  return {};
}

void TuningRuns::start(const tune::TuneSettings& settings, int threads) {
  if (!hindrance().isEmpty()) return;
  const auto kernel = document_->kernels().kernel();
  const tune::Task task = tuning_task(
      *kernel->stages, document_->fusion().plan()->group(document_->kernels().group()).name,
      document_->toolchain().machine, threads);
  ShownRun run;
  run.kernel = task.kernel;
  run.workload = tune::workload_of(task);
  run.settings = settings;
  run.threads = threads;
  run.flops = tune::flops_of(task);
  runs_.push_back(std::move(run));
  mailbox_ = std::make_shared<Mailbox>();

  const auto work = [task, settings, mailbox = mailbox_, program = document_->workers()->program()](
                        const JobContext& context) -> Result<bool> {
    tune::LocalMeasurer measurer(program);
    const auto told = [&](const tune::Tuning& tuning, const tune::Trial& trial,
                          bool is_final) -> Result<void> {
      {
        const std::lock_guard lock(mailbox->mutex);
        mailbox->trials.emplace_back(shown(trial), is_final);
        mailbox->best = tuning.best_trial().number;
      }
      const auto all = static_cast<double>(std::max<std::size_t>(1, settings.trials));
      context.progress("", static_cast<double>(tuning.measured()) / all);
      if (!is_final) mailbox->wait(context.cancellation);
      return {};
    };
    const auto tuning =
        TRY(tune::Tuning::begin(task, settings, measurer, told, context.cancellation));
    const Stopwatch begun;
    bool goes_on = true;
    while (goes_on && tuning->measured() < settings.trials) {
      goes_on = TRY(tuning->round(std::min(settings.round, settings.trials - tuning->measured()),
                                  context.cancellation));
      const std::lock_guard lock(mailbox->mutex);
      mailbox->rank_correlation = tuning->quality().correlation;
      mailbox->seconds = begun.milliseconds() / 1000;
    }
    {
      const std::lock_guard lock(mailbox->mutex);
      mailbox->is_finishing = true;
    }
    TRY_VOID(tuning->finish(context.cancellation));
    const std::lock_guard lock(mailbox->mutex);
    mailbox->best = tuning->best_trial().number;
    return true;
  };
  document_->jobs().run<bool>(
      lanes::tuning, tr("Tuning %1").arg(text(runs_.back().kernel)), work,
      [this](bool) { end(RunState::Done); },
      [this](const Diagnostic& problem) { end(RunState::Failed, problem.what); }, this);
  timer_->start();
  emit changed();
}

void TuningRuns::pause(bool pause) {
  if (!mailbox_) return;
  {
    const std::lock_guard lock(mailbox_->mutex);
    mailbox_->is_paused = pause;
  }
  mailbox_->goes_on.notify_all();
  drain();
}

void TuningRuns::stop() {
  if (!mailbox_) return;
  document_->jobs().cancel(lanes::tuning);
  end(RunState::Stopped);
}

void TuningRuns::forget() {
  if (mailbox_) runs_.erase(runs_.begin(), runs_.end() - 1);
  else runs_.clear();
  emit changed();
}

void TuningRuns::drain() {
  if (!mailbox_) return;
  ShownRun& run = runs_.back();
  std::vector<std::pair<ShownTrial, bool>> trials;
  {
    const std::lock_guard lock(mailbox_->mutex);
    trials.swap(mailbox_->trials);
    run.best = mailbox_->best;
    run.seconds = mailbox_->seconds;
    run.rank_correlation = mailbox_->rank_correlation;
    run.state = mailbox_->is_paused      ? RunState::Paused
                : mailbox_->is_finishing ? RunState::Finishing
                                         : RunState::Working;
  }
  for (auto& [trial, is_final] : trials) {
    if (is_final && static_cast<std::size_t>(trial.number) < run.trials.size())
      run.trials[static_cast<std::size_t>(trial.number)].in_turns_ms = trial.ms;
    else run.trials.push_back(std::move(trial));
  }
  run.best = std::min(run.best, static_cast<int>(run.trials.size()) - 1);
  run.best = std::max(run.best, 0);
  emit changed();
}

void TuningRuns::end(RunState state, std::string problem) {
  drain();
  runs_.back().state = state;
  runs_.back().problem = std::move(problem);
  mailbox_.reset();
  timer_->stop();
  emit changed();
}

}  // namespace loopglass::views
