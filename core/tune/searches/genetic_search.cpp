// Tensor Comprehensions' genetic search (Vasilache et al., 2018): a population of what was
// measured, children of three parents taken by fitness, each knob from any of them, few mutations.
#include "core/tune/searches/searches.h"

#include <algorithm>

namespace loopglass::tune {

namespace {

constexpr double crossover = 0.8, mutation = 0.07;
constexpr std::size_t most_people = 100;

class GeneticSearch : public Search {
 public:
  GeneticSearch(const Space& space, const SearchSettings& settings)
      : visited_(space, settings.seed),
        people_(std::clamp<std::size_t>(settings.trials / 6, 8, most_people)) {}

  std::vector<Proposal> propose(std::size_t count, Foresight&) override {
    std::vector<Proposal> proposals;
    const auto& ranked = visited_.ranked();
    if (ranked.size() < people_) {
      visited_.add_random(std::min(count, people_), proposals);
      return proposals;
    }
    // A child that has been is born again elsewhere.
    for (std::size_t tries = 0; proposals.size() < count && tries < 20 * count; ++tries) {
      std::vector<Point> parents;
      const bool crosses = visited_.random().uniform() < crossover;
      for (int i = 0; i < (crosses ? 3 : 1); ++i) parents.push_back(parent());
      Point child = visited_.crossed(parents);
      bool has_mutated = false;
      const auto& knobs = visited_.space().sketch_of(child).knobs;
      for (std::size_t k = 0; k < knobs.size(); ++k)
        if (visited_.random().uniform() < mutation ||
            (!crosses && k + 1 == knobs.size() && !has_mutated)) {
          child.choices[k] = static_cast<int>(visited_.random().below(knobs[k].values.size()));
          has_mutated = true;
        }
      if (!visited_.take(child)) continue;
      proposals.push_back(
          {std::move(child), crosses ? "crossover" : "mutation", std::move(parents)});
    }
    visited_.add_random(count - proposals.size(), proposals);
    return proposals;
  }

  void learn(std::span<const Observation> observations) override { visited_.learn(observations); }

 private:
  // Of the living, the fittest sooner: as likely as it is fast.
  Point parent() {
    const auto& ranked = visited_.ranked();
    std::vector<double> fitness;
    for (std::size_t i = 0; i < std::min(people_, ranked.size()); ++i)
      fitness.push_back(1 / ranked[i].milliseconds);
    return ranked[visited_.random().weighted(fitness)].point;
  }

  Visited visited_;
  const std::size_t people_;
};

}  // namespace

std::unique_ptr<Search> genetic_search(const Space& space, const SearchSettings& settings) {
  return std::make_unique<GeneticSearch>(space, settings);
}

}  // namespace loopglass::tune
