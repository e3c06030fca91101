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
    if (!std::isnan(ms) && !trial.left_early) times.push_back(ms);
  }
  if (times.empty()) return;
  std::ranges::sort(times);
  fastest_ = times.front();
  // A few that are very slow shall not make all others look alike.
  slowest_ = times[times.size() * 9 / 10];
}

std::optional<double> KnobSpeeds::share(const ShownTrial& trial) const {
  const double ms = trial.best_known_ms();
  if (std::isnan(ms) || trial.left_early || fastest_ <= 0) return std::nullopt;
  if (slowest_ <= fastest_) return 1;
  return std::clamp(std::log(slowest_ / ms) / std::log(slowest_ / fastest_), 0.0, 1.0);
}

int sketch_of_best(const ShownRun& run) {
  const ShownTrial* best = run.best_trial();
  if (best && best->point) return best->point->sketch;
  for (const ShownTrial& trial : run.trials)
    if (trial.point) return trial.point->sketch;
  return 0;
}

KnobMark mark_of(const ShownRun& run, const std::string& knob, const std::string& value) {
  for (const tune::KnobRule& rule : run.rules)
    if (rule.knob == knob && rule.value == value)
      return rule.kind == tune::KnobRule::Kind::Pin ? KnobMark::Pinned : KnobMark::Forbidden;
  return KnobMark::None;
}

}  // namespace loopglass::views
