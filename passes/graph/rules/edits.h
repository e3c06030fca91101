// A graph under rewriting: a GraphBuilder that can also be asked who uses a value.
#pragma once

#include "core/graph/graph.h"
#include "core/ops/operation.h"

namespace loopglass::passes::rules {

class Edits {
 public:
  explicit Edits(const graph::Graph& graph);

  const graph::GraphBuilder& graph() const { return builder_; }
  const TensorType& type(graph::ValueId value) const { return builder_.value(value).type; }
  // Undefined for what is no constant, and where there is no value.
  Tensor constant(graph::ValueId value) const;
  // Invalid where the node takes no such operand.
  static graph::ValueId input(const graph::Node& node, std::size_t index);
  // The nodes that read a value, one entry an operand, in no order to rely on.
  const std::vector<graph::NodeId>& users(graph::ValueId value) const;
  // Whether a result of the node is needed by a node or is a graph output.
  bool is_needed(const graph::Node& node) const;

  // CHECKs that the operator accepts the inputs.
  graph::NodeId add_node(const std::string& name, ops::Operation operation,
                         std::vector<graph::ValueId> inputs, std::size_t results, Origin origin);
  graph::ValueId add_constant(const std::string& name, Tensor value);
  void replace_uses(graph::ValueId from, graph::ValueId to);
  void remove_node(graph::NodeId id);
  // Whoever read the only result of the node reads `result`, which takes its name, as what makes it
  // takes the node's; returned. The node goes.
  graph::NodeId put_in_place(const graph::Node& node, graph::ValueId result);
  // The same for all results of a node, in their order.
  graph::NodeId put_in_place(const graph::Node& node, std::vector<graph::ValueId> results);
  // Removes what makes a value that nothing needs, and what was needed by that alone.
  void remove_unneeded(graph::ValueId value);
  template <class Id>
  void rename(Id id, const std::string& name) {
    builder_.rename(id, name);
  }

  // Without the constants that nothing needs.
  Result<graph::Graph> finish() &&;

 private:
  std::vector<graph::NodeId>& mutable_users(graph::ValueId value);

  graph::GraphBuilder builder_;
  std::vector<std::vector<graph::NodeId>> users_;  // by value id
};

}  // namespace loopglass::passes::rules
