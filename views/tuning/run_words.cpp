#include "views/tuning/run_words.h"

#include "core/runtime/timing_words.h"
#include "core/support/readable_time.h"
#include "core/tune/winner.h"
#include "views/counted.h"
#include "views/text.h"
#include "views/theme.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace loopglass::views {

namespace {

QString time_or_none(double milliseconds) {
  return std::isnan(milliseconds) ? QObject::tr("none")
                                  : text(readable_time(Milliseconds(milliseconds)));
}

}  // namespace

QString trial_html(const ShownRun& run, const ShownTrial& trial) {
  QString words =
      QObject::tr("<b>trial %1</b>, %2").arg(trial.number).arg(text(trial.how).toHtmlEscaped());
  if (!trial.parents.empty()) {
    QStringList parents;
    for (const int parent : trial.parents) parents << QString::number(parent);
    words += QObject::tr(" of %1").arg(parents.join(", "));
  }
  if (!trial.failure.empty())
    words += QString("<br><span style='color:%1'>✕ %2: %3</span>")
                 .arg(theme().error.name(), text(trial.failure).toHtmlEscaped(),
                      text(trial.reason).toHtmlEscaped());
  else
    words += QString(": <b>%1%2</b>, %3%4 GFLOP/s")
                 .arg(trial.left_early ? "&gt; " : "", time_or_none(trial.best_known_ms()),
                      trial.left_early ? "&lt; " : "")
                 .arg(run.flops / trial.best_known_ms() * 1e-6, 0, 'f', 1);
  if (trial.left_early) words += QObject::tr(", left early as clearly slower");
  if (trial.in_turns_ms) words += QObject::tr(", in turns with the fastest");
  if (trial.same_code) words += QObject::tr(", the same code as an earlier trial's");
  return words;
}

QString run_html(const ShownRun& run) {
  const ShownTrial* best = run.best_trial();
  if (run.state == RunState::Failed || !best)
    return QString("<span style='color:%1'>✕ %2</span>")
        .arg(theme().error.name(), text(run.problem).toHtmlEscaped());
  const double usual = run.trials.front().best_known_ms();
  QString words = QString("<b>%1</b>: %2 → <b>%3</b> (%4x), %5")
                      .arg(text(run.kernel).toHtmlEscaped(), time_or_none(usual),
                           time_or_none(best->best_known_ms()))
                      .arg(usual / best->best_known_ms(), 0, 'f', 2)
                      .arg(counted(run.measured(), "trial"));
  const auto refused = std::ranges::count_if(run.trials, &ShownTrial::is_refused);
  const auto failed = std::ranges::count_if(
      run.trials, [](const ShownTrial& trial) { return !trial.failure.empty(); });
  if (refused > 0) words += QObject::tr(", %1 more not legal").arg(refused);
  if (failed > refused) words += QObject::tr(", %1 failed").arg(failed - refused);
  if (run.seconds > 0 && run.measured() > 0)
    words += QObject::tr(", %1 s each")
                 .arg(run.seconds / static_cast<double>(run.measured()), 0, 'f', 2);
  if (const double correlation = run.rank_correlation(); !std::isnan(correlation))
    words += QObject::tr(", the model's ranks correlate by %1").arg(correlation, 0, 'f', 2);
  switch (run.state) {
    case RunState::Paused: words += QObject::tr(" · held; each measured once"); break;
    case RunState::Finishing: words += QObject::tr(" · the fastest run once more, in turns"); break;
    case RunState::Stopped:
      words += QObject::tr(" · stopped: not held against the default schedule in turns");
      break;
    case RunState::Done:
      // What came of it first: the end of a long line is cut.
      if (run.is_withdrawn)
        words +=
            QObject::tr(" · what it found is slower in the network: the default schedule stays");
      else if (best->number == 0 && run.is_any_faster())
        words += QObject::tr(" · nothing was faster by the %1 % that count")
                     .arg(100 * (1 - tune::worth_it), 0, 'f', 0);
      if (run.is_exhausted) words += QObject::tr(" · the search had nothing left to propose");
      if (run.load) words += " · " + text(runtime::load_words(*run.load, run.threads + 1));
      break;
    case RunState::Working: words += QObject::tr(" · each measured once"); break;
    case RunState::Failed: break;
  }
  return words;
}

QString network_html(const std::vector<const ShownRun*>& kernels) {
  for (const ShownRun* run : kernels)
    if (run->network)
      return QObject::tr("<b>the network</b>: %1 → <b>%2</b> (%3x) · ")
          .arg(time_or_none(run->network->untuned.median_ms),
               time_or_none(run->network->tuned.median_ms))
          .arg(run->network->untuned.median_ms / run->network->tuned.median_ms, 0, 'f', 2);
  return {};
}

}  // namespace loopglass::views
