// Algebraic rewrite rules as data: one named rule a row, grouped by subject into tables (families.h),
// applied by one engine (engine.h). A rule looks at one node and what produces its operands, and
// offers a value that may stand for the node's first result.
#pragma once

#include "core/graph/graph.h"
#include "core/pass/pass.h"

#include <optional>

namespace loopglass::passes::rules {

// What a rule may change of the numbers; each class is a pass of its own, to be switched on or off.
enum class RuleClass : std::uint8_t {
  Exact,          // every result the same, but perhaps for the sign of a zero
  Reassociating,  // equal in real arithmetic; floating point rounds differently
  FiniteOnly,     // equal unless an operand is infinite or not a number
};

// Where a rule is being tried: a node, what it may ask, and what it may make.
class Site {
 public:
  Site(graph::GraphBuilder& builder, const graph::Node& node) : builder_(builder), node_(node) {}

  const graph::Node& node() const { return node_; }
  graph::ValueId input(std::size_t index) const;  // invalid where left out
  const TensorType& type(graph::ValueId value) const;
  const TensorType& result_type() const { return type(node_.outputs.front()); }

  bool is(std::string_view op) const;  // the node's operator
  // The node that makes `value` as its first result, if its operator is `op`; else nullptr. Valid
  // until the next change.
  const graph::Node* producer(graph::ValueId value, std::string_view op) const;
  // Whether this node is all that needs `value`: a rule that would otherwise compute something twice
  // asks so.
  bool only_user(graph::ValueId value) const;
  const Tensor* constant(graph::ValueId value) const;  // nullptr where it is none
  // The number that every element of a constant has, if it is one number.
  std::optional<double> uniform(graph::ValueId value) const;

  // New values; they take the node's origin, and that of the nodes it consumes. A node is named
  // after this one; its type is inferred. A refusal by the operator is a broken rule (CHECK).
  graph::ValueId make(std::string_view op, std::vector<graph::ValueId> inputs, ops::Attributes attributes = {});
  graph::ValueId make_constant(Tensor value);
  graph::ValueId make_uniform(DataType type, double value, Shape shape = {});

 private:
  graph::GraphBuilder& builder_;
  const graph::Node& node_;
  std::vector<graph::NodeId> made_;
  friend class Engine;
};

struct Rule {
  std::string name;       // "multiply-by-one"; what a Rewrite carries
  std::string before;     // "x * 1", in the words of a textbook
  std::string after;      // "x"
  std::string condition;  // when it applies and why it is right, a sentence; may be empty
  RuleClass kind = RuleClass::Exact;
  // The value that replaces the node's first result (whose type it must have), or nothing where the
  // rule does not apply. Makes nothing unless it applies.
  std::function<std::optional<graph::ValueId>(Site&)> apply;
};

using RuleTable = std::vector<Rule>;

}  // namespace loopglass::passes::rules
