// AutoTVM's simulated annealing (Chen et al., NeurIPS 2018): chains walk from point to point by the
// cost model's scores, downhill ever more rarely; they go on where they stood in the next round.
// The best that they met is measured, and a few at random. Without a model each step is measured.
#include "core/tune/searches/searches.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopglass::tune {

namespace {

constexpr std::size_t chains = 32;
constexpr int steps = 12;
constexpr double share_at_random = 0.05;

class AnnealingSearch : public Search {
 public:
  AnnealingSearch(const Space& space, const SearchSettings& settings)
      : visited_(space, settings.seed), trials_(std::max<std::size_t>(1, settings.trials)) {}

  std::vector<Proposal> propose(std::size_t count, Foresight& foresight) override {
    std::vector<Proposal> proposals;
    if (visited_.ranked().empty()) {
      visited_.add_random(count, proposals);
      return proposals;
    }
    if (foresight.knows()) walk(count, foresight, proposals);
    else step(count, proposals);
    visited_.add_random(count - proposals.size(), proposals);
    return proposals;
  }

  void learn(std::span<const Observation> observations) override {
    visited_.learn(observations);
    measured_ += observations.size();
    const double temperature =
        std::max(0.0, 1 - static_cast<double>(measured_) / static_cast<double>(trials_));
    for (const Observation& observation : observations) {
      const auto asked = std::ranges::find(stepping_, observation.point, &Step::to);
      if (asked == stepping_.end()) continue;
      const double before = visited_.milliseconds(points_[asked->chain]);
      const double gain = (before - observation.milliseconds) / std::max(1e-9, before);
      if (accepts(gain, temperature)) points_[asked->chain] = observation.point;
    }
    stepping_.clear();
  }

 private:
  struct Step {
    std::size_t chain;
    Point to;
  };

  bool accepts(double gain, double temperature) {
    if (!std::isfinite(gain)) return gain > 0;
    return visited_.random().uniform() < std::min(1.0, std::exp(gain / (temperature * 0.2 + 1e-5)));
  }

  void begin(std::size_t count) {
    for (const Observation& best : visited_.ranked())
      if (points_.size() < count / 2) points_.push_back(best.point);
    while (points_.size() < count) points_.push_back(visited_.space().random(visited_.random()));
  }

  Point moved(const Point& from) {
    // Now and then to another sketch, where there are some.
    if (visited_.space().sketches.size() > 1 && visited_.random().uniform() < 0.05)
      return visited_.space().random(visited_.random());
    return visited_.mutated(from);
  }

  void walk(std::size_t count, Foresight& foresight, std::vector<Proposal>& proposals) {
    if (points_.empty()) begin(chains);
    std::vector<double> scores = foresight.scores(points_);
    std::map<Point, std::pair<double, Point>> met;  // with its score, and from where
    for (std::size_t c = 0; c < points_.size(); ++c)
      met.try_emplace(points_[c], scores[c], points_[c]);
    for (int s = 0; s < steps; ++s) {
      const double temperature = 1 - static_cast<double>(s) / steps;
      std::vector<Point> next;
      for (const Point& point : points_) next.push_back(moved(point));
      const std::vector<double> next_scores = foresight.scores(next);
      for (std::size_t c = 0; c < points_.size(); ++c) {
        met.try_emplace(next[c], next_scores[c], points_[c]);
        if (!accepts(next_scores[c] - scores[c], temperature)) continue;
        points_[c] = next[c];
        scores[c] = next_scores[c];
      }
    }
    std::vector<std::pair<double, Point>> order;
    for (const auto& [point, found] : met)
      if (std::isfinite(found.first)) order.emplace_back(found.first, point);
    std::ranges::stable_sort(order, std::greater(), [](const auto& entry) { return entry.first; });
    const auto chance =
        static_cast<std::size_t>(std::ceil(share_at_random * static_cast<double>(count)));
    for (const auto& [score, point] : order) {
      if (proposals.size() + chance >= count) break;
      if (visited_.take(point)) proposals.push_back({point, "annealing", {met.at(point).second}});
    }
  }

  void step(std::size_t count, std::vector<Proposal>& proposals) {
    if (points_.empty()) begin(count);
    for (std::size_t c = 0; c < points_.size() && proposals.size() < count; ++c) {
      Point to = moved(points_[c]);
      if (!visited_.take(to)) continue;
      stepping_.push_back({c, to});
      proposals.push_back({std::move(to), "step", {points_[c]}});
    }
  }

  Visited visited_;
  const std::size_t trials_;
  std::size_t measured_ = 0;
  std::vector<Point> points_;   // of the chains
  std::vector<Step> stepping_;  // that are being measured
};

}  // namespace

std::unique_ptr<Search> annealing_search(const Space& space, const SearchSettings& settings) {
  return std::make_unique<AnnealingSearch>(space, settings);
}

}  // namespace loopglass::tune
