#include "core/tune/searches/searches.h"

namespace loopglass::tune {

namespace {

class RandomSearch : public Search {
 public:
  RandomSearch(const Space& space, std::uint64_t seed) : visited_(space, seed) {}

  std::vector<Proposal> propose(std::size_t count, Foresight&) override {
    std::vector<Proposal> proposals;
    visited_.add_random(count, proposals);
    return proposals;
  }
  void learn(std::span<const Observation> observations) override { visited_.learn(observations); }

 private:
  Visited visited_;
};

}  // namespace

std::unique_ptr<Search> random_search(const Space& space, const SearchSettings& settings) {
  return std::make_unique<RandomSearch>(space, settings.seed);
}

}  // namespace loopglass::tune
