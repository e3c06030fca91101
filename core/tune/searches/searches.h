// The searches there are, each in its own file, and what they share.
#pragma once

#include "core/tune/search.h"

#include <map>

namespace loopglass::tune {

std::unique_ptr<Search> random_search(const Space& space, const SearchSettings& settings);
std::unique_ptr<Search> grid_search(const Space& space, const SearchSettings& settings);
std::unique_ptr<Search> genetic_search(const Space& space, const SearchSettings& settings);
std::unique_ptr<Search> annealing_search(const Space& space, const SearchSettings& settings);
std::unique_ptr<Search> evolutionary_search(const Space& space, const SearchSettings& settings);
std::unique_ptr<Search> reinforcement_search(const Space& space, const SearchSettings& settings);
std::unique_ptr<Search> droplet_search(const Space& space, const SearchSettings& settings);

// What has been proposed and measured so far, and steps from there.
class Visited {
 public:
  Visited(const Space& space, std::uint64_t seed) : space_(space), random_(seed) {}

  Random& random() { return random_; }
  const Space& space() const { return space_; }

  // Whether it is new; then it is no longer.
  bool take(const Point& point) { return seen_.insert(point).second; }
  bool has(const Point& point) const { return seen_.contains(point); }
  bool is_exhausted() const { return static_cast<double>(seen_.size()) >= space_.size(); }
  // A point that nobody has proposed; nullopt: there seem to be none left.
  std::optional<Point> fresh();
  // Up to `count` of the space's promising points that nobody has proposed.
  void add_promising(std::size_t count, std::vector<Proposal>& proposals);
  // Up to `count` fresh ones.
  void add_random(std::size_t count, std::vector<Proposal>& proposals);

  void learn(std::span<const Observation> observations);
  // What was measured, the fastest first; failures are left out.
  const std::vector<Observation>& ranked() const { return ranked_; }
  double milliseconds(const Point& point) const;  // infinity: not measured, or failed

  // Another place of one knob: of those with more values sooner.
  Point mutated(const Point& point);
  // One knob a step up or down; itself where it has none.
  Point neighbour(const Point& point);
  // Each knob from any of them; all of one sketch.
  Point crossed(std::span<const Point> parents);

 private:
  const Space& space_;
  Random random_;
  std::set<Point> seen_;
  std::vector<Observation> ranked_;
  std::map<Point, double> times_;
};

}  // namespace loopglass::tune
