// A graph in the words of the canvas: what is a box, what is written on it, what is an edge, and
// which entity each of them stands for. Constants have no box of their own: they are written on
// their users, as a network has hundreds of them. Inputs and outputs of the network are pills.
#pragma once

#include "core/fusion/plan.h"
#include "core/graph/folded.h"
#include "core/graph/node_filter.h"
#include "core/pass/runner.h"
#include "views/graph/graph_boxes.h"
#include "views/layout/steady.h"

#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <variant>

namespace loopglass::views {

// A part of the network that is one box: a place among the boxes of the folded graph.
struct FoldedPart {
  std::uint32_t box;
};

// How the graph is folded, and how far the folds are opened.
struct Folds {
  std::shared_ptr<const graph::Folding> folding;
  graph::OpenFolds open;
};

struct GraphContent {
  CanvasContent canvas;
  std::vector<QSizeF> sizes;
  std::vector<std::variant<graph::NodeId, graph::ValueId, FoldedPart>> entities;  // one per box
  std::vector<graph::ValueId> edge_values;    // one per edge; of several the first
  std::vector<graph::NodeId> edge_consumers;  // one per edge; invalid: a pill, or several
  // One per edge of a folded graph: all the tensors that it stands for, each with an operator that
  // reads it; empty where nothing is folded.
  std::vector<std::vector<std::pair<graph::ValueId, graph::NodeId>>> edge_reads;
  std::shared_ptr<const graph::Folding> folding;  // null: nothing is folded
  std::optional<graph::FoldedGraph> folded;
  // One per box: its place there; of pills nothing.
  std::vector<std::optional<std::uint32_t>> folded_boxes;
  std::vector<fusion::GroupId> groups;                           // one per cluster
  std::unordered_map<graph::NodeId, std::uint32_t> box_of_node;  // ghosts are boxes too
  std::unordered_multimap<graph::ValueId, std::uint32_t> pills;  // of inputs and outputs
  std::unordered_multimap<graph::ValueId, std::uint32_t> edges_of_value;
  std::size_t created = 0, changed = 0, removed = 0;  // nodes, against what it is compared with
  // The boxes to look at for that: what is new, changed or a ghost; of what left no ghost its
  // neighbours.
  std::vector<std::uint32_t> touched;
};

struct GroupsOfGraph {
  const fusion::Plan* plan = nullptr;  // null: draw none
  std::function<fusion::GroupId(const graph::Node&)> group_of;
  const graph::Graph* fused = nullptr;  // the graph that the plan is of, which has the names
};

// What a person wants to see marked: the operators of a filter, by the rule's number.
struct MarkRule {
  std::string text;
  Filter filter;
};

// `base` is what the graph is compared with, null: with nothing. What only the base has is drawn as
// ghosts if that is wished.
GraphContent make_graph_content(const graph::Graph& graph, const graph::Graph* base, bool ghosts,
                                const GroupsOfGraph& groups, const std::vector<MarkRule>& marks,
                                BoxCache& boxes, const Folds* folds = nullptr);
// The nodes that a box of the folded graph holds; where one block is shown for all, those of all.
std::vector<graph::NodeId> nodes_of(const GraphContent& content, FoldedPart part);
std::vector<graph::NodeId> nodes_of(const graph::Folding& folding, const graph::FoldedGraph& folded,
                                    std::uint32_t box);

// Everything that is ever in a history, for one drawing of all of it.
struct HistoryBoxes {
  std::unordered_map<layout::Key, layout::Node> nodes;
  std::unordered_map<fusion::GroupId, int> cluster_of_group;
};
HistoryBoxes history_boxes(const pass::GraphHistory& history, const GroupsOfGraph& groups,
                           BoxCache& boxes);
// Takes a while: for jobs.
layout::SteadyGraph steady_graph(const pass::GraphHistory& history, HistoryBoxes boxes);

}  // namespace loopglass::views
