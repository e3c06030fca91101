// Cutting parts of a graph so that none of them is left and entered again: what remains when each
// is shrunk to one point has no cycles.
#pragma once

#include <cstdint>
#include <vector>

namespace loopglass::graph {

// Elements in topological order, by the places of what each reads; `part` of an element, or -1
// where it is by itself. Returns the piece of every element, numbered by their first elements: a
// part is one piece where that makes no cycle. Where it does, the parts on the cycle are cut where
// paths leave and enter them. Takes time linear in elements and edges.
std::vector<int> acyclic_pieces(const std::vector<std::vector<std::uint32_t>>& reads,
                                const std::vector<int>& part);

}  // namespace loopglass::graph
