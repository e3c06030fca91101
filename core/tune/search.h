// Searches: which points of a space to measure next. Each proposes, and learns what came of it. By
// the same seed, told the same times, a search proposes the same.
#pragma once

#include "core/tune/space.h"

#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace loopglass::tune {

// What a search may ask before anything is measured.
class Foresight {
 public:
  virtual ~Foresight() = default;
  // Whether there is a cost model that has learned enough to say anything.
  virtual bool knows() const = 0;
  // By the cost model, greater is faster; minus infinity where no script can be written.
  virtual std::vector<double> scores(std::span<const Point> points) = 0;
};

struct Proposal {
  Point point;
  std::string how;             // "mutation", "random": for whoever reads the search's steps
  std::vector<Point> parents;  // that it came from
};

// What was measured; or not, where it failed.
struct Observation {
  Point point;
  double milliseconds = 0;  // infinity: it failed
};

struct SearchSettings {
  std::uint64_t seed = 1;
  std::size_t trials = 128;  // that there will be, as far as is known
};

class Search {
 public:
  virtual ~Search() = default;
  // Up to so many, none twice; none: it has nothing more to propose.
  virtual std::vector<Proposal> propose(std::size_t count, Foresight& foresight) = 0;
  // Of all that was proposed, in its order; and of what others have measured before.
  virtual void learn(std::span<const Observation> observations) = 0;
};

struct SearchKind {
  std::string name;
  std::string doc;  // one sentence
  // Whether it is another search with a cost model than without: others measure whatever they
  // would.
  bool goes_by_model = true;
  std::function<std::unique_ptr<Search>(const Space&, const SearchSettings&)> make;
};
const std::vector<SearchKind>& all_search_kinds();
const SearchKind* find_search_kind(std::string_view name);

}  // namespace loopglass::tune
