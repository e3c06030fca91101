#include "views/tuning/knob_speeds.h"

#include <algorithm>
#include <cmath>

namespace loopglass::views {

KnobSpeeds::KnobSpeeds(const ShownRun& run, int sketch, int until_round) {
  std::vector<double> times;
  for (int t = 0; t < std::ssize(run.trials); ++t) {
    const ShownTrial& trial = run.trials[static_cast<std::size_t>(t)];
    if (!trial.point || trial.point->sketch != sketch || trial.round > until_round) continue;
    places_.push_back(t);
    const double ms = trial.best_known_ms();
    if (std::isnan(ms)) continue;
    times.push_back(ms);
    if (!trial.left_early) fastest_ = fastest_ > 0 ? std::min(fastest_, ms) : ms;
  }
  if (times.empty()) return;
  std::ranges::sort(times);
  // A few that are very slow shall not make all others look alike.
  slowest_ = times[times.size() * 9 / 10];
}

std::optional<double> KnobSpeeds::share(const ShownTrial& trial) const {
  const double ms = trial.best_known_ms();
  if (std::isnan(ms) || fastest_ <= 0) return std::nullopt;
  if (slowest_ <= fastest_) return 1;
  return std::clamp(std::log(slowest_ / ms) / std::log(slowest_ / fastest_), 0.0, 1.0);
}

int KnobSpeeds::better(const ShownRun& run, int one, int other) {
  if (one < 0 || other < 0) return std::max(one, other);
  const ShownTrial &first = run.trials[static_cast<std::size_t>(one)],
                   &second = run.trials[static_cast<std::size_t>(other)];
  const auto rank = [](const ShownTrial& trial) {
    const double ms = trial.best_known_ms();
    return std::pair(std::isnan(ms) ? 2 : trial.left_early ? 1 : 0, std::isnan(ms) ? 0.0 : ms);
  };
  return rank(second) < rank(first) ? other : one;
}

int sketch_of_best(const ShownRun& run) {
  const ShownTrial* best = run.best_trial();
  if (best && best->point) return best->point->sketch;
  // Where the default schedule stays, the best that was found beside it.
  int fastest = -1;
  for (int t = 0; t < std::ssize(run.trials); ++t)
    if (run.trials[static_cast<std::size_t>(t)].point)
      fastest = KnobSpeeds::better(run, fastest, t);
  return fastest < 0 ? 0 : run.trials[static_cast<std::size_t>(fastest)].point->sketch;
}

KnobMark mark_of(const ShownRun& run, const std::string& knob, const std::string& value) {
  for (const tune::KnobRule& rule : run.rules)
    if (rule.knob == knob && rule.value == value)
      return rule.kind == tune::KnobRule::Kind::Pin ? KnobMark::Pinned : KnobMark::Forbidden;
  return KnobMark::None;
}

}  // namespace loopglass::views
