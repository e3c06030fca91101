// Two iterations that clash, as a refused primitive can show them: found by running the nest.
//
// The legality rules (independence.h, dependence.h) reason about all iterations at once and may be
// too careful; what is found here did happen. The nest is run by the plain interpreter on numbers
// of its own, every symbol being small, up to a number of accesses: that nothing was found says
// something only where the run came to its end.
#pragma once

#include "core/loop/func.h"

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
  std::vector<std::int64_t> element;  // indices
};

enum class Searched : std::uint8_t {
  Found,
  Everything,  // the nest was run to its end, and nothing clashes
  Part,        // nothing clashes in as much of it as was run
  Nothing      // it cannot be run, or there is nothing to look for
};
std::string_view name(Searched searched);

struct Search {
  Searched searched = Searched::Nothing;
  std::optional<Witness> witness = {};  // iff Found
  std::int64_t accesses = 0;            // that were looked at
};

// Whether an iteration may keep a buffer that is used in the loop alone to itself, as threads do.
enum class Private : bool { No, PerIteration };

// Two iterations of a loop, in the same ones of the loops around it, of which one stores to what
// the other accesses.
Search clash_of_iterations(const loop::Func& func, const std::string& loop, Private buffers);

// Two accesses of which one is a store, and which the new order of nested loops turns round. Terms
// of one reduction may change places. `order`: all of the loops from the first to the last that
// move.
Search clash_of_order(const loop::Func& func, const std::vector<std::string>& order);

// "block 'C' at i = 0, k = 1 stores C[0, 0]"
std::string visit_words(const Visit& visit, const Witness& witness);

}  // namespace loopglass::schedule
