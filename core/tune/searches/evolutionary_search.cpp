// Ansor's evolution (Zheng et al., OSDI 2020): some generations by the cost model's scores alone,
// from what was measured best and from chance; the best of them are measured, and a few at random.
// The population is smaller than Ansor's 2,048: here scheduling a candidate costs more than scoring
// it does.
#include "core/tune/searches/searches.h"

#include <algorithm>
#include <cmath>

namespace loopglass::tune {

namespace {

constexpr std::size_t people = 64;
constexpr int generations = 2;
constexpr double mutation_share = 0.85, random_share = 0.05, of_measured = 0.25;

struct Person {
  Point point;
  std::string how;
  std::vector<Point> origins;  // measured ones that it came from; its own where it is one of them
  double score = 0;
};

class EvolutionarySearch : public Search {
 public:
  EvolutionarySearch(const Space& space, const SearchSettings& settings)
      : visited_(space, settings.seed) {}

  std::vector<Proposal> propose(std::size_t count, Foresight& foresight) override {
    std::vector<Proposal> proposals;
    if (visited_.ranked().empty() || visited_.is_exhausted()) {
      visited_.add_promising(count / 2, proposals);
      visited_.add_random(count - proposals.size(), proposals);
      return proposals;
    }
    std::vector<Person> candidates = foresight.knows() ? evolved(foresight) : offspring(4 * count);
    std::ranges::stable_sort(candidates, std::greater(), &Person::score);
    const auto chance =
        static_cast<std::size_t>(std::ceil(random_share * static_cast<double>(count)));
    for (Person& person : candidates) {
      if (proposals.size() + chance >= count) break;
      if (!std::isfinite(person.score) || !visited_.take(person.point)) continue;
      proposals.push_back(
          {std::move(person.point), std::move(person.how), std::move(person.origins)});
    }
    visited_.add_random(count - proposals.size(), proposals);
    return proposals;
  }

  void learn(std::span<const Observation> observations) override { visited_.learn(observations); }

 private:
  Person child_of(const std::vector<Person>& parents, const std::vector<double>& weights) {
    const auto pick = [&]() -> const Person& {
      return parents[visited_.random().weighted(weights)];
    };
    const Person& first = pick();
    if (visited_.random().uniform() < mutation_share)
      return {visited_.mutated(first.point), "mutation", first.origins};
    const Person& second = pick();
    std::vector<Point> origins = first.origins;
    for (const Point& origin : second.origins)
      if (std::ranges::find(origins, origin) == origins.end()) origins.push_back(origin);
    const std::vector<Point> both{first.point, second.point};
    return {visited_.crossed(both), "crossover", std::move(origins)};
  }

  // Of what was measured, where there is nothing to score by.
  std::vector<Person> offspring(std::size_t count) {
    std::vector<Person> parents;
    std::vector<double> weights;
    for (const Observation& best : visited_.ranked()) {
      if (parents.size() >= 16) break;
      parents.push_back({best.point, {}, {best.point}});
      weights.push_back(1 / best.milliseconds);
    }
    std::vector<Person> children;
    for (std::size_t i = 0; i < count; ++i) {
      children.push_back(child_of(parents, weights));
      children.back().score = -static_cast<double>(i);
    }
    return children;
  }

  void score(std::vector<Person>& persons, Foresight& foresight) {
    std::vector<Point> points;
    for (const Person& person : persons) points.push_back(person.point);
    const std::vector<double> scores = foresight.scores(points);
    for (std::size_t i = 0; i < persons.size(); ++i) persons[i].score = scores[i];
  }

  std::vector<Person> evolved(Foresight& foresight) {
    std::vector<Person> living;
    const auto kept = static_cast<std::size_t>(of_measured * people);
    for (const Observation& best : visited_.ranked())
      if (living.size() < kept) living.push_back({best.point, "measured", {best.point}});
    while (living.size() < people)
      living.push_back({visited_.space().random(visited_.random()), "random", {}});
    score(living, foresight);
    std::vector<Person> all = living;
    for (int generation = 0; generation < generations; ++generation) {
      std::vector<double> weights = fitness_of(living);
      std::vector<Person> children;
      while (children.size() < people) children.push_back(child_of(living, weights));
      score(children, foresight);
      all.insert(all.end(), children.begin(), children.end());
      // The best of both go on.
      living.insert(living.end(), children.begin(), children.end());
      std::ranges::stable_sort(living, std::greater(), &Person::score);
      living.resize(people);
    }
    return all;
  }

  // What cannot be written has no children.
  static std::vector<double> fitness_of(const std::vector<Person>& persons) {
    double least = 0, most = 0;
    for (const Person& person : persons)
      if (std::isfinite(person.score)) {
        least = std::min(least, person.score);
        most = std::max(most, person.score);
      }
    std::vector<double> weights;
    for (const Person& person : persons)
      weights.push_back(
          std::isfinite(person.score) ? 1e-3 * (most - least + 1e-9) + person.score - least : 0);
    if (std::ranges::all_of(weights, [](double weight) { return weight == 0; }))
      std::ranges::fill(weights, 1.0);
    return weights;
  }

  Visited visited_;
};

}  // namespace

std::unique_ptr<Search> evolutionary_search(const Space& space, const SearchSettings& settings) {
  return std::make_unique<EvolutionarySearch>(space, settings);
}

}  // namespace loopglass::tune
