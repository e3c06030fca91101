#include "core/tune/network_tuning.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace loopglass::tune {

std::size_t NetworkTuning::measured() const {
  std::size_t sum = 0;
  for (const auto& tuning : tunings_) sum += tuning->measured();
  return sum;
}

Result<void> NetworkTuning::begin(std::vector<Task> tasks, const Records* history,
                                  const Conditions& conditions, const Cancellation& cancellation) {
  begun_ = {};
  std::ranges::stable_sort(tasks, std::greater(),
                           [](const Task& task) { return task.times * flops_of(task); });
  std::size_t number = 0;
  for (Task& task : tasks) {
    ++number;
    if (settings_.seconds > 0 && !tunings_.empty() && seconds() > settings_.seconds / 2) {
      left_.push_back({std::move(task), Left::Why::NoTime});
      continue;
    }
    if (watch_.on_begin) watch_.on_begin(task, number, tasks.size());
    auto tuning = Tuning::begin(task, settings_, measurer_, watch_.on_trial, cancellation);
    if (cancellation.requested()) return fail(Code::Cancelled, "tuning was cancelled");
    if (!tuning && tuning.error().code == Code::NothingToTune) {
      left_.push_back({std::move(task), Left::Why::NothingToChoose});
      continue;
    }
    if (!tuning) return std::unexpected(std::move(tuning).error());
    if (history) {
      Conditions own = conditions;
      own.symbols = (*tuning)->task().symbols;
      (*tuning)->learn(*history, own);
      TRY((*tuning)->transfer(*history, own, cancellation));
    }
    progress_.push_back(
        {(*tuning)->task().times, {(*tuning)->default_trial().outcome.milliseconds()}});
    tunings_.push_back(*std::move(tuning));
  }
  return {};
}

double NetworkTuning::finishing_seconds() const {
  // Nine scripts, five turns each, of some hundredths of a second and ten runs at the least.
  double seconds = 0;
  for (const auto& tuning : tunings_)
    if (tuning->measured() > 0)
      seconds += 45 * std::max(0.035, 12 * tuning->best_trial().outcome.milliseconds() * 1e-3);
  return seconds;
}

bool NetworkTuning::has_time() const {
  if (settings_.seconds <= 0) return true;
  // A short budget is searched with for half of it at the least.
  return seconds() + std::min(finishing_seconds(), settings_.seconds / 2) < settings_.seconds;
}

Result<void> NetworkTuning::run(const Cancellation& cancellation) {
  // A space of few scripts that all have been tried is proposed from no longer; what is refused
  // before it is measured counts for nothing, but not for ever. Where seconds are the budget, they
  // are the end.
  std::size_t rounds_left = settings_.trials == 0
                                ? std::numeric_limits<std::size_t>::max()
                                : 64 + 8 * trials() / std::max<std::size_t>(1, settings_.round);
  while (has_time() && rounds_left-- > 0 && (settings_.trials == 0 || measured() < trials())) {
    const auto next = next_task(progress_);
    if (!next) break;
    Tuning& tuning = *tunings_[next->task];
    if (watch_.on_round) TRY_VOID(watch_.on_round(tuning, next->why));
    const std::size_t left = settings_.trials == 0 ? settings_.round : trials() - measured();
    const bool goes_on = TRY(tuning.round(std::min(settings_.round, left), cancellation));
    progress_[next->task].best_ms.push_back(tuning.best_trial().outcome.milliseconds());
    progress_[next->task].is_done = !goes_on || !tuning.is_patient();
  }
  for (const auto& tuning : tunings_) {
    if (tuning->measured() == 0) continue;
    if (watch_.on_finish) watch_.on_finish(*tuning);
    TRY_VOID(tuning->finish(cancellation));
  }
  is_over_ = true;
  return {};
}

bool NetworkTuning::has_found() const {
  return std::ranges::any_of(tunings_,
                             [](const auto& each) { return each->best_trial().number > 0; });
}

}  // namespace loopglass::tune
