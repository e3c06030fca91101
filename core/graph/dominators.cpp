#include "core/graph/dominators.h"

#include "core/support/check.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace loopglass::graph {

namespace {

// Nodes next on the way to the root: producers for dominators, consumers for post-dominators. On a
// DAG one sweep suffices: when a node is reached, its parents in the tree are known.
std::vector<NodeId> towards_root(const Graph& graph, const Node& node, Direction direction) {
  std::vector<NodeId> next;
  if (direction == Direction::Dominators) {
    for (const ValueId input : node.inputs)
      if (input && graph.value(input).producer) next.push_back(graph.value(input).producer);
  } else {
    for (const ValueId output : node.outputs)
      for (const Graph::Use& use : graph.uses(output)) next.push_back(use.node);
  }
  return next;
}

// A node that reads a graph input can also be reached from outside; one that feeds a graph output
// can also leave: either hangs directly below the virtual root.
bool touches_boundary(const Graph& graph, const Node& node, Direction direction) {
  if (direction == Direction::Dominators) {
    return std::any_of(graph.inputs().begin(), graph.inputs().end(), [&](ValueId input) {
      return std::find(node.inputs.begin(), node.inputs.end(), input) != node.inputs.end();
    });
  }
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](ValueId output) { return graph.is_output(output); });
}

}  // namespace

DominatorTree::DominatorTree(const Graph& graph, Direction direction) : direction_(direction) {
  const auto visit = [&](const Node& node) {
    const std::vector<NodeId> next = towards_root(graph, node, direction);
    NodeId parent;
    if (!next.empty() && !touches_boundary(graph, node, direction)) {
      parent = next.front();
      for (const NodeId other : next) {
        if (!parent) break;
        parent = common_ancestor(parent, other);
      }
    }
    parent_[node.id] = parent;
    depth_[node.id] = parent ? depth_.at(parent) + 1 : 1;
    children_[parent].push_back(node.id);
  };
  const auto& nodes = graph.nodes();
  if (direction == Direction::Dominators)
    for (auto node = nodes.begin(); node != nodes.end(); ++node) visit(**node);
  else
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) visit(**node);
}

NodeId DominatorTree::parent(NodeId id) const {
  const auto found = parent_.find(id);
  CHECK(found != parent_.end());
  return found->second;
}

int DominatorTree::depth(NodeId id) const { return depth_.at(id); }

const std::vector<NodeId>& DominatorTree::children(NodeId id) const {
  static const std::vector<NodeId> none;
  const auto found = children_.find(id);
  return found == children_.end() ? none : found->second;
}

bool DominatorTree::dominates(NodeId ancestor, NodeId id) const {
  while (id && depth_.at(id) > depth_.at(ancestor)) id = parent_.at(id);
  return id == ancestor;
}

NodeId DominatorTree::common_ancestor(NodeId a, NodeId b) const {
  while (a != b) {
    if (!a || !b) return {};
    NodeId& deeper = depth_.at(a) >= depth_.at(b) ? a : b;
    deeper = parent_.at(deeper);
  }
  return a;
}

std::string to_text(const DominatorTree& tree, const Graph& graph) {
  std::string text =
      tree.direction() == Direction::Dominators ? "dominator tree\n" : "post-dominator tree\n";
  // An explicit stack: a chain of 100,000 operators is a tree as deep.
  std::vector<std::pair<NodeId, int>> stack;
  const auto push_children = [&](NodeId id, int depth) {
    const auto& children = tree.children(id);
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      stack.push_back({*child, depth});
  };
  push_children({}, 1);
  while (!stack.empty()) {
    const auto [id, depth] = stack.back();
    stack.pop_back();
    const Node& node = graph.node(id);
    text += fmt::format("{:{}}{} ({})\n", "", 2 * depth, node.name, operator_name(node));
    push_children(id, depth + 1);
  }
  return text;
}

std::string to_json(const DominatorTree& tree, const Graph& graph) {
  nlohmann::ordered_json nodes = nlohmann::ordered_json::array();
  for (const NodePtr& node : graph.nodes()) {
    nlohmann::ordered_json row{{"id", node->id.value},
                               {"name", node->name},
                               {"operator", operator_name(*node)},
                               {"depth", tree.depth(node->id)}};
    const NodeId parent = tree.parent(node->id);
    row["parent"] = parent ? nlohmann::ordered_json(parent.value) : nlohmann::ordered_json(nullptr);
    nodes.push_back(std::move(row));
  }
  return nlohmann::ordered_json{
      {"tree", tree.direction() == Direction::Dominators ? "dominators" : "post-dominators"},
      {"nodes", nodes}}  // Names come from models and need not be UTF-8.
      .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace loopglass::graph
