// A graph in the words of the canvas: what is a box, what is written on it, what is an edge, and
// which entity each of them stands for. Constants have no box of their own: they are written on
// their users, as a network has hundreds of them. Inputs and outputs of the network are pills.
#pragma once

#include "core/fusion/plan.h"
#include "core/graph/graph.h"
#include "views/canvas/content.h"

#include <functional>
#include <unordered_map>
#include <variant>

namespace loopglass::views {

struct GraphContent {
  CanvasContent canvas;
  std::vector<std::variant<graph::NodeId, graph::ValueId>> entities;  // one per box
  std::vector<graph::ValueId> edge_values;                            // one per edge
  std::vector<fusion::GroupId> groups;                                // one per cluster
  std::unordered_map<graph::NodeId, std::uint32_t> box_of_node;
  std::unordered_multimap<graph::ValueId, std::uint32_t> pills;  // of inputs and outputs
  std::unordered_multimap<graph::ValueId, std::uint32_t> edges_of_value;
  std::size_t created = 0, changed = 0, removed = 0;  // nodes, against the step before
};

struct GroupsOfGraph {
  const fusion::Plan* plan = nullptr;  // null: draw none
  std::function<fusion::GroupId(graph::NodeId)> group_of;
};

// `before` is the graph of the step before, null at the first.
GraphContent make_graph_content(const graph::Graph& graph, const graph::Graph* before,
                                const GroupsOfGraph& groups);

// The last part of a name that is a path, and no more of it than one reads.
QString short_name(const std::string& name);

}  // namespace loopglass::views
