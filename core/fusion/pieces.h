// Parts of a kernel: what a member leads to, what hangs together, and where an edge cuts it.
#pragma once

#include "core/fusion/block.h"

namespace loopglass::fusion {

using Nodes = std::vector<std::size_t>;  // positions, ascending

Nodes united(const Nodes& a, const Nodes& b);
Nodes without(const Nodes& a, const Nodes& b);

// Of `all`, what `begin` leads to (or, backward, what leads to it) without leaving `all`.
Nodes reached_within(const BlockRules& rules, const Nodes& all, const Nodes& begin, bool forward);

// Of the nodes, those that hang together by edges among them; by their first members.
std::vector<Nodes> components(const BlockRules& rules, const Nodes& nodes);

// The two ways to part the ends of an edge within a kernel, right behind the producer and right
// before the consumer, each with the pieces that are left.
std::vector<std::vector<Nodes>> cuts(const BlockRules& rules, const Nodes& kernel,
                                     std::size_t producer, std::size_t consumer);

// Positions of a group's nodes.
Nodes positions(const graph::Graph& graph, const Group& group);

}  // namespace loopglass::fusion
