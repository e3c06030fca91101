// What happened to the nodes of a graph in one step, told apart by rewrite: the rewrites say what they
// consumed and made, the graphs before and after say the rest.
#pragma once

#include "core/graph/diff.h"
#include "core/pass/position.h"

namespace loopglass::pass {

struct NodeEvent {
  enum class Kind : std::uint8_t {
    Created,   // a node that was not there
    Removed,   // a node is no longer there
    Changed,   // other inputs, attributes or types; a new name alone does not count
    Replaced,  // rewritten into other nodes: `others` are those
  };
  Kind kind;
  graph::NodeId node;
  graph::NodePtr before, after;        // as far as known; null: not there, or not known
  std::optional<std::size_t> rewrite;  // of the step, from 0; none: the pass did not say
  std::vector<graph::NodeId> others;   // Created: made from these; Removed, Replaced: made into these
  std::vector<graph::Difference> differences;  // of Changed
};

// In the order of rewrites; what no rewrite accounts for comes last. Nodes that are made and consumed
// in the same step are in neither snapshot: with `graph_at` they are looked up in the middle of the
// step (the pass runs again for it, at most `maximum_reruns` times), else they are known by id only.
inline constexpr std::size_t maximum_reruns = 64;
std::vector<NodeEvent> node_events(const GraphHistory& history, std::size_t step, const GraphAt& graph_at = {});

// Every node that a step's rewrites speak of, by id, as far as it can be looked up.
std::unordered_map<graph::NodeId, graph::NodePtr> nodes_of_step(const GraphHistory& history, std::size_t step,
                                                                const GraphAt& graph_at = {});

}  // namespace loopglass::pass
