// What happened to the nodes of a graph in one step, told apart by rewrite: the rewrites say what
// they consumed and made, the graphs before and after say the rest.
#pragma once

#include "core/graph/diff.h"
#include "core/pass/position.h"

namespace loopglass::pass {

struct NodeEvent {
  enum class Kind : std::uint8_t {
    Removed,  // a node is no longer there; `others` took its place, if any
    Created,  // a node that was not there; made from `others`
    Changed,  // other inputs, attributes or types: `differences`
    Renamed,  // only another name: `differences`
  };
  Kind kind;
  graph::NodeId node;
  // The node before and after, as far as known, and the graphs they stand in; null: not there, or
  // in no graph that could be looked at.
  graph::NodePtr before, after;
  std::shared_ptr<const graph::Graph> graph_before, graph_after;
  std::optional<std::size_t> rewrite;  // of the step, from 0; none: the pass did not say
  std::vector<graph::NodeId> others;
  std::vector<graph::Difference> differences;
};

// In the order of rewrites; what no rewrite accounts for comes last. Nodes that are made and
// consumed in the same step are in neither snapshot: with `graph_at` they are looked up in the
// middle of the step, as far as `maximum_reruns` goes (the pass runs again for each look), else
// they are known by id only.
std::size_t maximum_reruns(const graph::Graph& graph);
std::vector<NodeEvent> node_events(const GraphHistory& history, std::size_t step,
                                   const GraphAt& graph_at = {});

}  // namespace loopglass::pass
