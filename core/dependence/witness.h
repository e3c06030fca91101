// Two iterations that clash, as a refused primitive can show them.
//
// The legality rules reason about all iterations at once. Where they understand every index they
// give the two nearest (meeting.h). Where they do not, they may be too careful, and the nest is run
// instead, by the plain interpreter on numbers of its own, every symbol being small, up to a number
// of accesses: what is found so did happen, and that nothing was found says something only where
// the run came to its end.
#pragma once

#include "core/dependence/meeting.h"

#include <string>
#include <utility>
#include <vector>

namespace loopglass::schedule {

// One access of a clash.
struct Visit {
  std::string block;                                        // empty outside of blocks
  std::vector<std::pair<std::string, std::int64_t>> loops;  // those around it, outermost first
  bool stores = false;
};

struct Witness {
  Visit first, second;  // in the order in which the nest as it is executes them
  std::string buffer;
  std::vector<std::int64_t> element;                               // indices
  std::vector<std::pair<std::string, std::int64_t>> symbols = {};  // for which they clash
};

enum class Searched : std::uint8_t {
  Derived,     // a clash, from the dependence itself
  Found,       // a clash, by running the nest
  Everything,  // the nest was run to its end, and nothing clashes
  Part,        // nothing clashes in as much of it as was run
  Nothing      // it cannot be run, or there is nothing to look for
};
std::string_view name(Searched searched);

struct Search {
  Searched searched = Searched::Nothing;
  std::optional<Witness> witness = {};  // iff Derived or Found
  std::int64_t accesses = 0;            // of a run, that were looked at
};

// Of the clashes that are offered, the one of the nearest iterations.
class NearestClash {
 public:
  void offer(const std::optional<Meeting>& meeting, const loop::Access& first,
             const loop::Access& second);
  // Derived; by `run` where nothing was offered.
  template <class Run>
  Search or_else(const Run& run) && {
    return nearest_ ? Search{Searched::Derived, std::move(nearest_)} : run();
  }

 private:
  std::optional<Witness> nearest_;
  std::int64_t distance_ = 0;
};

// Whether an iteration may keep a buffer that is used in the loop alone to itself, as threads do.
enum class Private : bool { No, PerIteration };

// By running the nest: two iterations of a loop, in the same ones of the loops around it, of which
// one stores to what the other accesses.
Search run_for_clash_of_iterations(const loop::Func& func, const std::string& loop,
                                   Private buffers);

// By running the nest: two accesses of which one is a store, and which the new order of nested
// loops turns round. Terms of one reduction may change places. `order`: all of the loops from the
// first to the last that move.
Search run_for_clash_of_order(const loop::Func& func, const std::vector<std::string>& order);

// "block 'C' at i = 0, k = 1 stores C[0, 0]"; "where n = 2, block ..."
std::string visit_words(const Visit& visit, const Witness& witness);
// What was looked for and found, in lines that end; empty where there was nothing to look for.
std::string search_words(const Search& search);

}  // namespace loopglass::schedule
