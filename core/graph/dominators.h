// Dominator and post-dominator trees of a graph (Cooper, Harvey, Kennedy: "A Simple, Fast Dominance
// Algorithm", 2001), over nodes. A virtual root stands before every node that reads a graph input
// or no other node's result, and after every node that feeds a graph output or nobody; constants do
// not count. The graph has no cycles, so one sweep in topological order settles every node.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::graph {

enum class Direction : std::uint8_t { Dominators, PostDominators };

class DominatorTree {
 public:
  DominatorTree(const Graph& graph, Direction direction);

  Direction direction() const { return direction_; }
  // Immediate (post-)dominator; invalid id means the virtual root.
  NodeId parent(NodeId id) const;
  int depth(NodeId id) const;                            // 1 below the virtual root
  const std::vector<NodeId>& children(NodeId id) const;  // invalid id: of the virtual root
  bool dominates(NodeId ancestor, NodeId id) const;      // reflexive
  NodeId common_ancestor(NodeId a, NodeId b) const;      // invalid: the virtual root

 private:
  Direction direction_;
  std::unordered_map<NodeId, NodeId> parent_;
  std::unordered_map<NodeId, int> depth_;
  std::unordered_map<NodeId, std::vector<NodeId>> children_;
};

std::string to_text(const DominatorTree& tree, const Graph& graph);  // indented, one node a line
std::string to_json(const DominatorTree& tree, const Graph& graph);

}  // namespace loopglass::graph
