// Reinforcement learning with clustered samples (Chameleon: Ahn et al., ICLR 2020): a policy moves
// each knob down, up, or not at all, and is rewarded by what the cost model's score gains; the
// points that it visits are clustered (k-means), and the middle of each cluster is measured, so
// that what is alike is measured once. The policy is improved by PPO (Schulman et al., 2017).
#include "core/tune/models/perceptron.h"
#include "core/tune/searches/searches.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace loopglass::tune {

namespace {

constexpr std::size_t walkers = 24;
constexpr int walk_length = 8, updates = 3;
constexpr double clip = 0.2, step_size = 3e-3, discount = 0.9;
constexpr std::size_t actions = 3;  // down, stay, up

// Where each knob of a point stands, from -1 to 1.
std::vector<double> state_of(const Space& space, const Point& point) {
  std::vector<double> state;
  const auto& knobs = space.sketch_of(point).knobs;
  for (std::size_t k = 0; k < knobs.size(); ++k) {
    const double last = static_cast<double>(knobs[k].values.size()) - 1;
    state.push_back(last > 0 ? 2 * point.choices[k] / last - 1 : 0);
  }
  return state;
}

// Probabilities of the actions of a knob.
std::array<double, actions> softmax(std::span<const double> logits, std::size_t knob) {
  std::array<double, actions> chances{};
  double most = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t a = 0; a < actions; ++a) most = std::max(most, logits[knob * actions + a]);
  for (std::size_t a = 0; a < actions; ++a)
    sum += chances[a] = std::exp(logits[knob * actions + a] - most);
  for (double& chance : chances) chance /= sum;
  return chances;
}

struct Move {
  Point from, to;
  std::vector<std::size_t> actions;  // of each knob
  std::vector<double> chances;       // that these had
  double reward = 0, advantage = 0;
};

// The policy of one sketch, and a guess at what a state is worth.
class Policy {
 public:
  Policy(std::size_t knobs, Random& random)
      : actor_({std::max<std::size_t>(1, knobs), 32, std::max<std::size_t>(1, knobs) * actions},
               random),
        critic_({std::max<std::size_t>(1, knobs), 32, 1}, random) {}

  Move move(const Space& space, const Point& from, Random& random) const {
    Move move{from, from, {}, {}};
    const auto& knobs = space.sketch_of(from).knobs;
    if (knobs.empty()) return move;
    const std::vector<double> logits = actor_(state_of(space, from));
    for (std::size_t k = 0; k < knobs.size(); ++k) {
      const auto chances = softmax(logits, k);
      const std::size_t action = random.weighted({chances.begin(), chances.end()});
      move.actions.push_back(action);
      move.chances.push_back(chances[action]);
      const int last = static_cast<int>(knobs[k].values.size()) - 1;
      move.to.choices[k] = std::clamp(from.choices[k] + static_cast<int>(action) - 1, 0, last);
    }
    return move;
  }

  void improve(const Space& space, std::vector<Move>& moves) {
    for (Move& move : moves)
      move.advantage = move.reward + discount * critic_(state_of(space, move.to))[0] -
                       critic_(state_of(space, move.from))[0];
    for (int update = 0; update < updates; ++update) {
      for (const Move& move : moves) {
        if (move.actions.empty()) continue;
        const std::vector<double> state = state_of(space, move.from);
        const double off = -2 * move.advantage / static_cast<double>(moves.size());
        critic_.accumulate(state, std::array{off});
        const std::vector<double> logits = actor_(state);
        std::vector<double> gradient(logits.size(), 0);
        for (std::size_t k = 0; k < move.actions.size(); ++k) {
          const auto chances = softmax(logits, k);
          const double ratio = chances[move.actions[k]] / move.chances[k];
          const bool is_clipped =
              (move.advantage > 0 && ratio > 1 + clip) || (move.advantage < 0 && ratio < 1 - clip);
          if (is_clipped) continue;
          for (std::size_t a = 0; a < actions; ++a)
            gradient[k * actions + a] = -move.advantage * ratio *
                                        ((a == move.actions[k] ? 1.0 : 0.0) - chances[a]) /
                                        static_cast<double>(moves.size());
        }
        actor_.accumulate(state, gradient);
      }
      actor_.step(step_size);
      critic_.step(step_size);
    }
  }

 private:
  Perceptron actor_, critic_;
};

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

// Of points of one sketch, one near the middle of each of `count` clusters (Lloyd; Arthur and
// Vassilvitskii's start).
std::vector<std::size_t> middles_of(const std::vector<std::vector<double>>& states,
                                    std::size_t count, Random& random) {
  if (states.size() <= count) {
    std::vector<std::size_t> all(states.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  std::vector<std::vector<double>> centres{states[random.below(states.size())]};
  const auto nearest = [&](const std::vector<double>& state) {
    return static_cast<std::size_t>(
        std::ranges::min_element(centres, {},
                                 [&](const auto& centre) { return distance(state, centre); }) -
        centres.begin());
  };
  while (centres.size() < count) {
    std::vector<double> far;
    for (const auto& state : states)
      far.push_back(distance(state, centres[nearest(state)]) + 1e-12);
    centres.push_back(states[random.weighted(far)]);
  }
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::vector<double>> sums(count, std::vector<double>(states[0].size(), 0));
    std::vector<double> sizes(count, 0);
    for (const auto& state : states) {
      const std::size_t c = nearest(state);
      ++sizes[c];
      for (std::size_t i = 0; i < state.size(); ++i) sums[c][i] += state[i];
    }
    for (std::size_t c = 0; c < count; ++c)
      if (sizes[c] > 0)
        for (std::size_t i = 0; i < centres[c].size(); ++i) centres[c][i] = sums[c][i] / sizes[c];
  }
  std::vector<std::size_t> middles;
  for (const auto& centre : centres) {
    const auto middle = std::ranges::min_element(
        states, {}, [&](const auto& state) { return distance(state, centre); });
    middles.push_back(static_cast<std::size_t>(middle - states.begin()));
  }
  return middles;
}

class ReinforcementSearch : public Search {
 public:
  ReinforcementSearch(const Space& space, const SearchSettings& settings)
      : visited_(space, settings.seed) {
    for (const Sketch& sketch : space.sketches)
      policies_.emplace_back(sketch.knobs.size(), visited_.random());
  }

  std::vector<Proposal> propose(std::size_t count, Foresight& foresight) override {
    std::vector<Proposal> proposals;
    if (visited_.ranked().empty() || !foresight.knows()) {
      visited_.add_random(count, proposals);
      return proposals;
    }
    const auto met = walk(foresight);
    // Clusters in proportion to how often a sketch was met.
    std::map<int, std::vector<std::pair<Point, Point>>> by_sketch;  // and from where
    for (const auto& [point, from] : met)
      if (!visited_.has(point)) by_sketch[point.sketch].emplace_back(point, from);
    double all = 0;
    for (const auto& [sketch, points] : by_sketch) all += static_cast<double>(points.size());
    for (const auto& [sketch, points] : by_sketch) {
      const auto share = static_cast<std::size_t>(
          std::ceil(static_cast<double>(count) * static_cast<double>(points.size()) / all));
      std::vector<std::vector<double>> states;
      for (const auto& [point, from] : points) states.push_back(state_of(visited_.space(), point));
      for (const std::size_t i : middles_of(states, share, visited_.random()))
        if (proposals.size() < count && visited_.take(points[i].first))
          proposals.push_back({points[i].first, "policy", {points[i].second}});
    }
    visited_.add_random(count - proposals.size(), proposals);
    return proposals;
  }

  void learn(std::span<const Observation> observations) override { visited_.learn(observations); }

 private:
  // Walks from what was measured best and from anywhere, learning on the way; what was met, and
  // from where.
  std::map<Point, Point> walk(Foresight& foresight) {
    std::vector<Point> places;
    for (const Observation& best : visited_.ranked())
      if (places.size() < walkers / 2) places.push_back(best.point);
    while (places.size() < walkers) places.push_back(visited_.space().random(visited_.random()));
    std::map<Point, Point> met;
    std::vector<double> scores = foresight.scores(places);
    std::vector<std::vector<Move>> moves(policies_.size());
    for (int s = 0; s < walk_length; ++s) {
      std::vector<Move> step;
      std::vector<Point> next;
      for (const Point& place : places) {
        const auto sketch = static_cast<std::size_t>(place.sketch);
        step.push_back(policies_[sketch].move(visited_.space(), place, visited_.random()));
        next.push_back(step.back().to);
      }
      const std::vector<double> next_scores = foresight.scores(next);
      for (std::size_t w = 0; w < places.size(); ++w) {
        const bool is_legal = std::isfinite(next_scores[w]);
        const double before = std::isfinite(scores[w]) ? scores[w] : 0;
        step[w].reward = is_legal ? next_scores[w] - before : -0.2;
        if (is_legal) {
          met.try_emplace(next[w], places[w]);
          places[w] = next[w];
          scores[w] = next_scores[w];
        }
        moves[static_cast<std::size_t>(step[w].from.sketch)].push_back(std::move(step[w]));
      }
    }
    for (std::size_t p = 0; p < policies_.size(); ++p)
      if (!moves[p].empty()) policies_[p].improve(visited_.space(), moves[p]);
    return met;
  }

  Visited visited_;
  std::vector<Policy> policies_;
};

}  // namespace

std::unique_ptr<Search> reinforcement_search(const Space& space, const SearchSettings& settings) {
  return std::make_unique<ReinforcementSearch>(space, settings);
}

}  // namespace loopglass::tune
