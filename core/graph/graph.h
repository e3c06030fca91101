// The graph IR: operators on tensors, static shapes, single assignment, no cycles.
//
// A Graph is a value. Nodes and values are immutable and shared between the graphs of a history, so
// a copy is cheap and "unchanged" is pointer equality. Ids are never reused along a history. To
// change a graph, take a GraphBuilder from it, edit, and finish: the result is a new Graph.
#pragma once

#include "core/ops/op_def.h"
#include "core/support/id.h"
#include "core/support/origin.h"

#include <limits>
#include <memory>
#include <optional>
#include <unordered_map>

namespace loopglass::graph {

using NodeId = Id<struct NodeTag>;
using ValueId = Id<struct ValueTag>;

// A tensor that flows along edges: a graph input, a constant, or one output of a node.
struct Value {
  ValueId id;
  std::string name;  // unique in the graph
  TensorType type;
  NodeId producer;  // invalid for graph inputs and constants
  Tensor constant;  // defined for constants only

  bool is_constant() const { return constant.defined(); }
};

struct Node {
  NodeId id;
  std::string name;  // unique in the graph; what people search for
  const ops::OpDef* op;
  ops::Attributes attributes;   // complete, defaults filled in
  std::vector<ValueId> inputs;  // invalid id: optional input left out
  std::vector<ValueId> outputs;
  Origin origin;  // indices of ONNX nodes
};

// What people call its operator: of an opaque one the name it has in the model, with its domain.
std::string operator_name(const Node& node);
inline bool is_opaque(const Node& node) { return node.op->opaque; }

using NodePtr = std::shared_ptr<const Node>;
using ValuePtr = std::shared_ptr<const Value>;

class Graph {
 public:
  const std::string& name() const { return name_; }
  // In topological order, producers first; ties keep their earlier order.
  const std::vector<NodePtr>& nodes() const { return nodes_; }
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  // In id order: inputs, constants and results alike.
  std::vector<ValuePtr> values() const;

  const Node* find(NodeId id) const;  // nullptr if not in this graph
  const Value* find(ValueId id) const;
  const Node& node(NodeId id) const;  // CHECKs
  const Value& value(ValueId id) const;
  NodePtr share(NodeId id) const;
  ValuePtr share(ValueId id) const;
  const Node* find_node(std::string_view name) const;
  const Value* find_value(std::string_view name) const;
  // Position of a node in nodes().
  std::size_t position(NodeId id) const;

  struct Use {
    NodeId node;
    std::size_t input;  // operand index
    friend bool operator==(const Use&, const Use&) = default;
  };
  // Uses by nodes, in topological order (graph outputs are not uses; see is_output).
  const std::vector<Use>& uses(ValueId id) const;
  bool is_output(ValueId id) const;

  // Structure, attributes, types and constants by content; not names of nodes. For memoisation.
  std::uint64_t content_hash() const;

 private:
  friend class GraphBuilder;
  static constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();

  std::string name_;
  std::vector<NodePtr> nodes_;
  std::vector<ValueId> inputs_, outputs_;
  std::vector<std::uint32_t> position_;  // by node id; absent where the id is not in this graph
  // By value id; null, empty and false where the id is not in this graph.
  std::vector<ValuePtr> values_;
  std::vector<std::vector<Use>> uses_;
  std::vector<bool> is_output_;
};

// The only way to make or change a graph.
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name);
  explicit GraphBuilder(const Graph& base);

  ValueId add_input(std::string name, TensorType type);
  ValueId add_constant(std::string name, Tensor value);
  // Infers the output types; names are made unique. `output_names` may be shorter than the outputs.
  Result<NodeId> add_node(std::string name, const ops::OpDef& op, std::vector<ValueId> inputs,
                          ops::Attributes attributes, std::size_t output_count = 1,
                          Origin origin = {}, std::vector<std::string> output_names = {});
  void set_outputs(std::vector<ValueId> outputs);
  // Every use of `from`, graph outputs included, becomes a use of `to`. Types must be equal. When
  // `from` is a graph output, `to` takes over its name, so the model's interface keeps its names.
  void replace_uses(ValueId from, ValueId to);
  // Whether replace_uses may be called: the types are equal and, when `from` is a graph output,
  // `to` is a node's result that can take over the name.
  bool can_replace(ValueId from, ValueId to) const;
  bool is_used(ValueId id) const;  // by a node or as a graph output
  bool is_output(ValueId id) const { return graph_.is_output(id); }
  // The node's results must have no uses left. Its name and theirs become free.
  void remove_node(NodeId id);
  // A name that is taken gets a suffix.
  void rename(NodeId id, const std::string& name);
  void rename(ValueId id, const std::string& name);
  void remove_unused_constants();

  const std::vector<ValueId>& inputs() const { return graph_.inputs_; }
  const Node& node(NodeId id) const;
  const Node* find(NodeId id) const;  // nullptr once removed
  // That the next one will have; all so far have lower ones.
  NodeId next_node() const { return NodeId{static_cast<std::uint32_t>(nodes_.size())}; }
  const Value& value(ValueId id) const;
  ValueId output(NodeId id, std::size_t index = 0) const { return node(id).outputs[index]; }

  // Sorts topologically. A cycle or a dangling use is GraphInvalid.
  Result<Graph> finish() &&;

 private:
  // Names that are taken, with how often a suffix was asked for.
  using Names = std::unordered_map<std::string, int>;

  ValueId add_value(std::string name, TensorType type, NodeId producer, Tensor constant);
  std::string unique_node_name(std::string name);
  std::string unique_value_name(std::string name);
  Names& node_names();
  Names& value_names();
  std::vector<Graph::Use>& uses(ValueId id) { return graph_.uses_[id.value]; }
  bool is_in_order() const;
  Result<void> sort();
  void restore_tables();

  Graph graph_;  // its nodes_ and position_ are those of the base; finish() sets them
  std::vector<NodePtr> nodes_;  // by id; null once removed
  std::vector<NodeId> order_;   // insertion order; may name removed nodes
  bool changed_ = false;
  std::optional<Names> node_names_, value_names_;  // made when first asked for
};

// Every invariant: ids resolve, single producer, acyclic order, types as infer says, names unique,
// outputs exist. The message names the offending node.
Result<void> verify(const Graph& graph);
// The same for a graph made from one that holds them: what the two share is not inferred again.
Result<void> verify(const Graph& graph, const Graph& base);

}  // namespace loopglass::graph
