#include "core/tune/searches/searches.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopglass::tune {

std::optional<Point> Visited::fresh() {
  constexpr int tries = 64;
  if (is_exhausted()) return std::nullopt;
  for (int i = 0; i < tries; ++i) {
    Point point = space_.random(random_);
    if (take(point)) return point;
  }
  // Nearly all have been: the next from somewhere on.
  const double size = space_.size();
  const double from = std::floor(random_.uniform() * size);
  constexpr double most = 20'000;
  for (double i = 0; i < std::min(size, most); ++i) {
    Point point = space_.at(from + i);
    if (take(point)) return point;
  }
  return std::nullopt;
}

void Visited::add_promising(std::size_t count, std::vector<Proposal>& proposals) {
  const std::size_t end = proposals.size() + count;
  for (const Point& point : space_.promising) {
    if (proposals.size() >= end) return;
    if (take(point)) proposals.push_back({point, "promising", {}});
  }
}

void Visited::add_random(std::size_t count, std::vector<Proposal>& proposals) {
  for (std::size_t i = 0; i < count; ++i) {
    auto point = fresh();
    if (!point) return;
    proposals.push_back({*std::move(point), "random", {}});
  }
}

void Visited::learn(std::span<const Observation> observations) {
  for (const Observation& observation : observations) {
    seen_.insert(observation.point);
    times_[observation.point] = observation.milliseconds;
    if (!std::isfinite(observation.milliseconds)) continue;
    const auto place =
        std::ranges::upper_bound(ranked_, observation.milliseconds, {}, &Observation::milliseconds);
    ranked_.insert(place, observation);
  }
}

double Visited::milliseconds(const Point& point) const {
  const auto known = times_.find(point);
  return known == times_.end() ? std::numeric_limits<double>::infinity() : known->second;
}

Point Visited::mutated(const Point& point) {
  const std::vector<Knob>& knobs = space_.sketch_of(point).knobs;
  std::vector<double> weights;
  for (const Knob& knob : knobs)
    weights.push_back(std::log(static_cast<double>(knob.values.size())));
  double sum = 0;
  for (const double weight : weights) sum += weight;
  if (sum <= 0) return space_.random(random_);
  const std::size_t k = random_.weighted(weights);
  Point other = point;
  const int count = static_cast<int>(knobs[k].values.size());
  // Half of the time a few steps away: neighbours are alike.
  if (random_.uniform() < 0.5) {
    const int step = 1 + static_cast<int>(random_.below(3));
    const int moved = other.choices[k] + (random_.uniform() < 0.5 ? -step : step);
    other.choices[k] = std::clamp(moved, 0, count - 1);
    if (other.choices[k] != point.choices[k]) return other;
  }
  other.choices[k] = (point.choices[k] + 1 +
                      static_cast<int>(random_.below(static_cast<std::size_t>(count - 1)))) %
                     count;
  return other;
}

Point Visited::neighbour(const Point& point) {
  const std::vector<Knob>& knobs = space_.sketch_of(point).knobs;
  std::vector<std::size_t> movable;
  for (std::size_t k = 0; k < knobs.size(); ++k)
    if (knobs[k].values.size() > 1) movable.push_back(k);
  if (movable.empty()) return point;
  const std::size_t k = movable[random_.below(movable.size())];
  const int last = static_cast<int>(knobs[k].values.size()) - 1;
  Point other = point;
  const bool up = other.choices[k] == 0 || (other.choices[k] < last && random_.uniform() < 0.5);
  other.choices[k] += up ? 1 : -1;
  return other;
}

Point Visited::crossed(std::span<const Point> parents) {
  Point child = parents[0];
  std::vector<const Point*> alike;
  for (const Point& parent : parents)
    if (parent.sketch == child.sketch) alike.push_back(&parent);
  for (std::size_t k = 0; k < child.choices.size(); ++k)
    child.choices[k] = alike[random_.below(alike.size())]->choices[k];
  return child;
}

}  // namespace loopglass::tune
