#include "views/tuning/shown_run.h"

#include "core/tune/models/ranking.h"
#include "core/tune/winner.h"
#include "views/counted.h"
#include "views/text.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>

namespace loopglass::views {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

ShownTrial shown(const tune::Record& record, const tune::Space* space) {
  ShownTrial trial;
  trial.number = record.trial;
  trial.round = record.round;
  if (space && !record.words.empty()) trial.point = space->named(record.words);
  trial.ms = record.time ? record.time->median_ms : none;
  trial.predicted = record.predicted;
  trial.left_early = record.left_early;
  trial.same_code = record.same_code;
  trial.parents = record.parents;
  trial.how = record.how;
  trial.words = record.words;
  trial.script = record.script;
  trial.failure = record.failure;
  trial.reason = record.reason;
  trial.is_refused = record.failure == name(measure::FailureKind::Illegal);
  return trial;
}

// The space that it was tuned over, as far as it can be made again.
std::optional<tune::Space> space_of(const tune::Record& record, const tune::Task& task) {
  const tune::SpaceKind* kind = tune::find_space_kind(record.space);
  if (!kind) return std::nullopt;
  auto space = kind->make(task);
  return space ? std::optional(*std::move(space)) : std::nullopt;
}

// By the times in turns of those that ran so themselves, as the tuner does: others of the same code
// are shown with them.
void settle_best(ShownRun& run, std::span<const tune::FinalTime> in_turns) {
  run.best = run.is_withdrawn ? 0 : std::max(0, run.best_until(std::numeric_limits<int>::max()));
  const auto place = run.is_withdrawn ? std::nullopt : tune::winner(in_turns);
  if (!place) return;
  const auto best = std::ranges::find(run.trials, in_turns[*place].trial, &ShownTrial::number);
  if (best != run.trials.end()) run.best = static_cast<int>(best - run.trials.begin());
}

}  // namespace

ShownTrial shown(const tune::Trial& trial) {
  ShownTrial shown;
  shown.number = trial.number;
  shown.round = trial.round;
  shown.point = trial.point;
  shown.ms = trial.outcome.milliseconds();
  if (!std::isfinite(shown.ms)) shown.ms = none;
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

void ShownRun::take_turn(std::size_t place, double ms) {
  if (place >= trials.size()) return;
  const ShownTrial measured = trials[place];
  for (ShownTrial& trial : trials)
    if (trial.number == measured.number || tune::is_same_code(trial.told(), measured.told()))
      trial.in_turns_ms = ms;
}

std::size_t ShownRun::measured() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      trials, [](const ShownTrial& trial) { return trial.number > 0 && !trial.is_refused; }));
}

double ShownRun::rank_correlation() const {
  std::vector<double> scores, speeds;
  for (const ShownTrial& trial : trials) {
    if (!trial.predicted) continue;
    scores.push_back(*trial.predicted);
    speeds.push_back(std::isnan(trial.ms) ? 0 : 1 / trial.ms);
  }
  return tune::rank_correlation(scores, speeds);
}

bool ShownRun::is_any_faster() const {
  return std::ranges::any_of(trials, [&](const ShownTrial& trial) {
    return trial.in_turns_ms && trials.front().in_turns_ms &&
           *trial.in_turns_ms < *trials.front().in_turns_ms;
  });
}

int ShownRun::rounds() const { return trials.empty() ? 0 : trials.back().round; }

int ShownRun::best_until(int round) const {
  std::vector<tune::FinalTime> final;
  std::vector<int> places;
  int fastest = -1;
  for (int t = 0; t < std::ssize(trials); ++t) {
    const ShownTrial& trial = trials[static_cast<std::size_t>(t)];
    if (trial.round > round) break;
    if (trial.in_turns_ms) {
      final.push_back({trial.number, *trial.in_turns_ms});
      places.push_back(t);
    }
    if (std::isnan(trial.ms) || trial.left_early) continue;
    if (fastest < 0 || trial.ms < trials[static_cast<std::size_t>(fastest)].ms) fastest = t;
  }
  const auto place = round >= rounds() ? tune::winner(final) : std::nullopt;
  return place ? places[*place] : fastest;
}

QString title_of(const ShownRun& run) {
  QString title =
      QString("%1, %2, %3")
          .arg(text(run.settings.space), text(run.settings.search), text(run.settings.cost_model));
  if (run.settings.layout) title += ", " + text(name(*run.settings.layout));
  if (run.threads != 1) title += ", " + counted(static_cast<std::size_t>(run.threads), "thread");
  if (!run.rules.empty()) title += QObject::tr(", steered");
  return title;
}

std::vector<ShownSketch> shown_sketches(const tune::Space& space) {
  std::vector<ShownSketch> sketches;
  for (const tune::Sketch& sketch : space.sketches) sketches.push_back({sketch.name, sketch.knobs});
  return sketches;
}

std::vector<ShownRun> recorded_runs(const tune::Records& records, const tune::Task& task,
                                    std::size_t most) {
  const std::string workload = tune::workload_of(task);
  std::vector<ShownRun> runs;
  std::map<std::string, std::optional<tune::Space>> spaces;
  std::map<std::string, std::vector<tune::FinalTime>> in_turns;  // by run
  const auto space_for = [&](const tune::Record& record) -> const tune::Space* {
    const auto [known, is_new] = spaces.try_emplace(record.space);
    if (is_new) known->second = space_of(record, task);
    return known->second ? &*known->second : nullptr;
  };
  for (const tune::Record& record : records.records) {
    // Times of another machine are not to be compared with.
    if (record.workload != workload || record.conditions.processor != task.machine.processor ||
        record.conditions.target != task.machine.name)
      continue;
    auto run = std::ranges::find(runs, record.run, &ShownRun::id);
    if (run == runs.end()) {
      ShownRun made;
      made.kernel = record.kernel;
      made.workload = workload;
      made.id = record.run;
      made.settings.space = record.space;
      made.settings.search = record.search;
      made.settings.cost_model = record.cost_model;
      if (!record.layout.empty()) made.settings.layout = tune::layout_named(record.layout);
      made.settings.seed = record.seed;
      made.threads = record.conditions.threads;
      made.times = task.times;
      made.flops = record.flops;
      made.state = RunState::Done;
      if (const tune::Space* space = space_for(record))
        made.sketches = std::make_shared<const std::vector<ShownSketch>>(shown_sketches(*space));
      runs.push_back(std::move(made));
      run = runs.end() - 1;
    }
    if (record.is_withdrawn) {
      run->is_withdrawn = true;
      continue;
    }
    const auto known = std::ranges::find(run->trials, record.trial, &ShownTrial::number);
    if (record.is_final) {
      if (known != run->trials.end() && record.time) {
        run->take_turn(static_cast<std::size_t>(known - run->trials.begin()),
                       record.time->median_ms);
        in_turns[record.run].push_back({record.trial, record.time->median_ms});
      }
    } else if (known == run->trials.end()) {
      run->trials.push_back(shown(record, space_for(record)));
    }
  }
  // Trials are known by their places: a run that lost some lines is shown as far as it is whole.
  for (ShownRun& run : runs) {
    std::ranges::sort(run.trials, {}, &ShownTrial::number);
    for (std::size_t t = 0; t < run.trials.size(); ++t)
      if (run.trials[t].number != static_cast<int>(t)) run.trials.resize(t);
    run.settings.trials = run.measured();
    // One that came to its end had the fastest run once more.
    const auto is_leader = [&](const ShownTrial& trial) {
      return trial.number > 0 && !std::isnan(trial.ms) && !trial.left_early &&
             !tune::is_same_code(trial.told(), run.trials.front().told());
    };
    const auto ran_in_turns = [](const ShownTrial& trial) { return trial.in_turns_ms.has_value(); };
    if (std::ranges::any_of(run.trials, is_leader) &&
        std::ranges::none_of(run.trials, ran_in_turns))
      run.state = RunState::Stopped;
    settle_best(run, in_turns[run.id]);
  }
  std::erase_if(runs, [](const ShownRun& run) { return run.trials.empty(); });
  if (runs.size() > most) runs.erase(runs.begin(), runs.end() - static_cast<std::ptrdiff_t>(most));
  return runs;
}

}  // namespace loopglass::views
