// What dynamic programming moves as one in large networks: operators that a cheapest plan nearly
// always keeps together, contracted, so that the search has fewer sets to look at.
//
// A one-to-one operator whose only reader is one-to-one and of the same shape goes with it: fusing
// the two saves a write and a read and adds no arithmetic (which may hide less well in one kernel).
// Ends of forced edges go together as well.
#pragma once

#include "core/fusion/block.h"

namespace loopglass::passes {

struct Units {
  // Positions in the graph, ascending; units in topological order.
  std::vector<std::vector<std::size_t>> members;
  std::vector<std::size_t> unit_of;                                // by position
  std::vector<std::vector<std::size_t>> successors, predecessors;  // between units, ascending

  std::size_t count() const { return members.size(); }
  // All members of these units, ascending.
  std::vector<std::size_t> nodes_of(const std::vector<std::size_t>& units) const;
};

// `contract` off: every operator a unit (but for forced edges): the exact search that tests compare
// with.
Result<Units> make_units(const fusion::BlockRules& rules, const fusion::Constraints& constraints,
                         bool contract = true);

}  // namespace loopglass::passes
