// Coordinate descent from the best of a first round (Droplet: Canesche et al., 2024): each knob of
// the best point a step up and down; on to the best of these, with longer steps while they pay;
// where none is better, from the next best point that is not a neighbour of one that was descended
// from.
#include "core/tune/searches/searches.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace loopglass::tune {

namespace {

constexpr double first_round = 0.3;  // of the trials
// A point has to be so much faster to be gone to: less may be noise.
constexpr double gain = 0.01;

class DropletSearch : public Search {
 public:
  DropletSearch(const Space& space, const SearchSettings& settings)
      : visited_(space, settings.seed),
        first_(std::max<std::size_t>(
            8, static_cast<std::size_t>(first_round * static_cast<double>(settings.trials)))) {}

  std::vector<Proposal> propose(std::size_t count, Foresight& foresight) override {
    std::vector<Proposal> proposals;
    if (begun_ < first_) {
      const std::size_t wanted = std::min(count, first_ - begun_);
      begin(wanted, foresight, proposals);
      begun_ += wanted;
      if (!proposals.empty()) return proposals;
      begun_ = first_;
    }
    while (proposals.size() < count) {
      if (waiting_.empty() && !descend()) break;
      Proposal next = std::move(waiting_.front());
      waiting_.pop_front();
      if (visited_.take(next.point)) proposals.push_back(std::move(next));
    }
    if (proposals.empty()) visited_.add_random(count, proposals);
    return proposals;
  }

  void learn(std::span<const Observation> observations) override { visited_.learn(observations); }

 private:
  // What the space promises and what chance brings; where there is a model, the best of some times
  // as many.
  void begin(std::size_t count, Foresight& foresight, std::vector<Proposal>& proposals) {
    visited_.add_promising(2 * count / 3, proposals);
    count -= proposals.size();
    if (!foresight.knows()) {
      visited_.add_random(count, proposals);
      return;
    }
    std::vector<Point> points;
    for (std::size_t i = 0; i < 8 * count; ++i) {
      Point point = visited_.space().random(visited_.random());
      if (!visited_.has(point)) points.push_back(std::move(point));
    }
    const std::vector<double> scores = foresight.scores(points);
    std::vector<std::size_t> order(points.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return scores[i]; });
    for (const std::size_t i : order) {
      if (count == 0) break;
      if (!std::isfinite(scores[i]) || !visited_.take(points[i])) continue;
      proposals.push_back({points[i], "random, by the model", {}});
      --count;
    }
  }

  // What to try from where one stands now. False: there is nowhere left to go from.
  bool descend() {
    while (waiting_.empty()) {
      const std::optional<Point> better = at_ ? best_tried() : std::nullopt;
      tried_.clear();
      if (better) {
        // On in the direction that paid.
        const Point from = *std::exchange(at_, better);
        stride_ *= 2;
        go_on(from, *at_);
      } else {
        // It is a valley, or the descent begins.
        if (at_) descended_.insert(*at_);
        const auto& ranked = visited_.ranked();
        const auto next = std::ranges::find_if(ranked, [&](const Observation& observation) {
          return !descended_.contains(observation.point);
        });
        if (next == ranked.end()) return false;
        at_ = next->point;
        stride_ = 1;
      }
      add_neighbours(*at_);
    }
    return true;
  }

  // Of what was tried from here, the fastest, if it is faster than here.
  std::optional<Point> best_tried() const {
    const Point* best = nullptr;
    for (const Point& point : tried_)
      if (is_better(point, best ? *best : *at_) && !descended_.contains(point)) best = &point;
    return best ? std::optional(*best) : std::nullopt;
  }

  bool is_better(const Point& point, const Point& than) const {
    return point != than && visited_.milliseconds(point) < (1 - gain) * visited_.milliseconds(than);
  }

  void go_on(const Point& from, const Point& to) {
    if (from.sketch != to.sketch) return;
    for (std::size_t k = 0; k < to.choices.size(); ++k) {
      const int way = to.choices[k] - from.choices[k];
      if (way != 0) add(to, k, way > 0 ? stride_ : -stride_, "a further step");
    }
  }

  void add_neighbours(const Point& point) {
    for (std::size_t k = 0; k < point.choices.size(); ++k)
      for (const int way : {1, -1}) add(point, k, way, "a neighbouring value");
  }

  void add(const Point& from, std::size_t knob, int way, const char* how) {
    const int last =
        static_cast<int>(visited_.space().sketch_of(from).knobs[knob].values.size()) - 1;
    Point to = from;
    to.choices[knob] = std::clamp(to.choices[knob] + way, 0, last);
    tried_.push_back(to);
    if (!visited_.has(to)) waiting_.push_back({std::move(to), how, {from}});
  }

  Visited visited_;
  const std::size_t first_;
  std::size_t begun_ = 0;
  std::optional<Point> at_;
  std::set<Point> descended_;
  std::vector<Point> tried_;  // from there
  int stride_ = 1;
  std::deque<Proposal> waiting_;
};

}  // namespace

std::unique_ptr<Search> droplet_search(const Space& space, const SearchSettings& settings) {
  return std::make_unique<DropletSearch>(space, settings);
}

}  // namespace loopglass::tune
