#include "core/tune/searches/searches.h"

#include <algorithm>
#include <cmath>

namespace loopglass::tune {

namespace {

// As many points as there will be trials, evenly through the places of the space; then those in the
// middle between them.
class GridSearch : public Search {
 public:
  GridSearch(const Space& space, std::size_t trials)
      : visited_(space, 1),
        step_(std::max(1.0, std::floor(space.size() /
                                       static_cast<double>(std::max<std::size_t>(1, trials))))) {}

  std::vector<Proposal> propose(std::size_t count, Foresight&) override {
    std::vector<Proposal> proposals;
    while (proposals.size() < count && !visited_.is_exhausted()) {
      if (next_ >= visited_.space().size()) {
        if (++offset_ >= step_) break;
        next_ = offset_;
      }
      Point point = visited_.space().at(next_);
      next_ += step_;
      if (visited_.take(point)) proposals.push_back({std::move(point), "grid", {}});
    }
    return proposals;
  }
  void learn(std::span<const Observation> observations) override { visited_.learn(observations); }

 private:
  Visited visited_;
  const double step_;
  double next_ = 0, offset_ = 0;
};

}  // namespace

std::unique_ptr<Search> grid_search(const Space& space, const SearchSettings& settings) {
  return std::make_unique<GridSearch>(space, settings.trials);
}

}  // namespace loopglass::tune
