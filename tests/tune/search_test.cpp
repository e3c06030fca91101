// Searches: each finds its way in a space whose times are known, proposes nothing twice, and the
// same by the same seed.
#include "core/tune/search.h"

#include <gtest/gtest.h>
#include <cmath>
#include <limits>

namespace loopglass::tune {
namespace {

// Two sketches of four knobs; the best point is in the middle of the second.
Space hills() {
  Space space{"hills", {}};
  for (const char* name : {"flat", "hill"}) {
    Sketch sketch{name, "", {}, {}};
    for (const char* knob : {"a", "b", "c", "d"}) {
      sketch.knobs.push_back({knob, {}});
      for (int v = 0; v < 10; ++v) sketch.knobs.back().values.push_back(std::to_string(v));
    }
    space.sketches.push_back(std::move(sketch));
  }
  return space;
}

double time_of(const Point& point) {
  double time = point.sketch == 0 ? 3 : 1;
  for (std::size_t k = 0; k < point.choices.size(); ++k)
    time += 0.1 * std::abs(point.choices[k] - static_cast<int>(2 + k));
  // Some cannot be written, or crash.
  if (point.choices[0] == 9) return std::numeric_limits<double>::infinity();
  return time;
}

// Foresees how fast a point is, roughly; or nothing.
class Guess : public Foresight {
 public:
  explicit Guess(bool has_model) : has_model_(has_model) {}
  bool knows() const override { return has_model_; }
  std::vector<double> scores(std::span<const Point> points) override {
    asked += points.size();
    std::vector<double> scores;
    for (const Point& point : points) {
      const double time = time_of(point);
      scores.push_back(std::isfinite(time) ? 1 / (time + 0.05 * point.choices[1])
                                           : -std::numeric_limits<double>::infinity());
    }
    return scores;
  }
  std::size_t asked = 0;

 private:
  const bool has_model_;
};

struct Found {
  std::vector<Point> proposed;
  double best = std::numeric_limits<double>::infinity();
};

Found search(const std::string& kind, bool has_model, std::uint64_t seed, std::size_t trials) {
  static const Space space = hills();
  const auto search = find_search_kind(kind)->make(space, {seed, trials});
  Guess guess(has_model);
  Found run;
  while (run.proposed.size() < trials) {
    const auto proposals =
        search->propose(std::min<std::size_t>(16, trials - run.proposed.size()), guess);
    if (proposals.empty()) break;
    EXPECT_LE(proposals.size(), 16u);
    std::vector<Observation> observations;
    for (const Proposal& proposal : proposals) {
      EXPECT_FALSE(proposal.how.empty());
      run.proposed.push_back(proposal.point);
      observations.push_back({proposal.point, time_of(proposal.point)});
      run.best = std::min(run.best, observations.back().milliseconds);
    }
    search->learn(observations);
  }
  return run;
}

struct SearchCase {
  std::string name;
  bool has_model;
};
class Searches : public ::testing::TestWithParam<SearchCase> {};

TEST_P(Searches, ProposeNothingTwiceAndTheSameBySeed) {
  const auto& [name, has_model] = GetParam();
  const Found run = search(name, has_model, 11, 128);
  EXPECT_EQ(run.proposed.size(), 128u);
  EXPECT_EQ(std::set<Point>(run.proposed.begin(), run.proposed.end()).size(), run.proposed.size());
  EXPECT_EQ(search(name, has_model, 11, 128).proposed, run.proposed);
  if (name != "grid") {
    EXPECT_NE(search(name, has_model, 12, 128).proposed, run.proposed);
  }
  for (const Point& point : run.proposed)
    for (const int choice : point.choices) {
      EXPECT_GE(choice, 0);
      EXPECT_LT(choice, 10);
    }
}

// Those that go by what they have learned. Of 20,000 points one is the best; by chance alone 128
// trials come to about 1.4.
class LearningSearches : public ::testing::TestWithParam<SearchCase> {};

TEST_P(LearningSearches, FindBetterThanChance) {
  const auto& [name, has_model] = GetParam();
  double sum = 0, chance = 0;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    sum += search(name, has_model, seed, 128).best;
    chance += search("random", false, seed, 128).best;
  }
  EXPECT_LT(sum, has_model ? chance - 0.5 : chance) << sum / 5 << " against " << chance / 5;
}

std::string kind_name(const ::testing::TestParamInfo<SearchCase>& info) {
  return info.param.name + (info.param.has_model ? "_by_model" : "");
}

const auto learning = ::testing::Values(
    SearchCase{"genetic", false}, SearchCase{"evolutionary", false},
    SearchCase{"evolutionary", true}, SearchCase{"annealing", false}, SearchCase{"annealing", true},
    SearchCase{"reinforcement", true}, SearchCase{"droplet", false}, SearchCase{"droplet", true});
INSTANTIATE_TEST_SUITE_P(Of, LearningSearches, learning, kind_name);
INSTANTIATE_TEST_SUITE_P(Of, Searches, learning, kind_name);
INSTANTIATE_TEST_SUITE_P(OfChance, Searches,
                         ::testing::Values(SearchCase{"random", false}, SearchCase{"grid", false}),
                         kind_name);

TEST(Search, GridIsSpreadOverTheWholeSpace) {
  const Found run = search("grid", false, 1, 20);
  std::set<int> sketches, first;
  for (const Point& point : run.proposed) {
    sketches.insert(point.sketch);
    first.insert(point.choices[0]);
  }
  EXPECT_EQ(sketches.size(), 2u);
  EXPECT_EQ(first.size(), 10u);
}

// A space of few points is gone through, and then there is nothing left.
TEST(Search, EndsWhereASpaceDoes) {
  Space small{"small", {{"only", "", {{"a", {"0", "1", "2"}}, {"b", {"x", "y"}}}, {}}}};
  for (const SearchKind& kind : all_search_kinds()) {
    for (const bool has_model : {false, true}) {
      const auto search = kind.make(small, {1, 128});
      class Any : public Foresight {
       public:
        explicit Any(bool knows) : knows_(knows) {}
        bool knows() const override { return knows_; }
        std::vector<double> scores(std::span<const Point> points) override {
          return std::vector<double>(points.size(), 1);
        }

       private:
        bool knows_;
      } any(has_model);
      std::set<Point> seen;
      for (int round = 0; round < 40; ++round) {
        const auto proposals = search->propose(4, any);
        std::vector<Observation> observations;
        for (const Proposal& proposal : proposals) {
          EXPECT_TRUE(seen.insert(proposal.point).second) << kind.name;
          observations.push_back({proposal.point, 1.0 + proposal.point.choices[0]});
        }
        search->learn(observations);
        if (proposals.empty()) break;
      }
      EXPECT_EQ(seen.size(), 6u) << kind.name << has_model;
      EXPECT_TRUE(search->propose(4, any).empty()) << kind.name;
    }
  }
}

// Those of a space in which nothing can be written do not turn for ever.
TEST(Search, ComesToAnEndWhereNothingIsLegal) {
  const Space space = hills();
  for (const SearchKind& kind : all_search_kinds()) {
    const auto search = kind.make(space, {1, 64});
    class Nothing : public Foresight {
     public:
      bool knows() const override { return true; }
      std::vector<double> scores(std::span<const Point> points) override {
        return std::vector<double>(points.size(), -std::numeric_limits<double>::infinity());
      }
    } nothing;
    for (int round = 0; round < 8; ++round) {
      const auto proposals = search->propose(8, nothing);
      std::vector<Observation> observations;
      for (const Proposal& proposal : proposals)
        observations.push_back({proposal.point, std::numeric_limits<double>::infinity()});
      search->learn(observations);
    }
  }
}

}  // namespace
}  // namespace loopglass::tune
