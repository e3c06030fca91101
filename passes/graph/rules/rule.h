// Algebraic rewrite rules as data: one named rule a row, grouped by subject into tables
// (families.h), applied by one engine (engine.h). A rule looks at one node and what produces its
// operands, and offers a value that may stand for the node's result. Most rules are a pattern
// before and a pattern after (pattern.h); `apply` is for what patterns cannot say, such as
// arithmetic on attributes.
#pragma once

#include "core/graph/graph.h"
#include "core/pass/pass.h"
#include "passes/graph/rules/edits.h"

#include <optional>

namespace loopglass::passes::rules {

// What a rule may change of the numbers; each class is a pass of its own, to be switched on or off.
using RuleClass = pass::Numerics;
std::string_view name(RuleClass kind);  // "exact", "reassociating", "finite-only"

// Where a rule is being tried: a node, what it may ask, and what it may make. What is made but not
// needed in the end is taken back by the engine.
class Site {
 public:
  Site(Edits& edits, const graph::Node& node) : edits_(edits), node_(node) {}

  const graph::Node& node() const { return node_; }
  graph::ValueId input(std::size_t index) const;  // invalid where left out
  const TensorType& type(graph::ValueId value) const { return edits_.graph().value(value).type; }
  const TensorType& result_type() const { return type(node_.outputs.front()); }

  bool is(std::string_view op) const { return node_.op->name == op; }  // the node's operator
  // The node that makes `value` as its first result, if there is one, and its operator is `op`;
  // else nullptr. Valid until the rule returns. What it names counts as consumed: what is made from
  // then on takes its origin.
  const graph::Node* producer(graph::ValueId value);
  const graph::Node* producer(graph::ValueId value, std::string_view op);
  // The same without counting it as consumed, and to count it afterwards.
  const graph::Node* peek(graph::ValueId value) const;
  void consume(const graph::Node& producer) { seen_.push_back(producer.id); }
  // Whether this node is all that needs `value`: a rule that would otherwise compute something
  // twice asks so.
  bool only_user(graph::ValueId value) const;
  bool is_output(graph::ValueId value) const { return edits_.graph().is_output(value); }
  const std::vector<graph::NodeId>& users(graph::ValueId value) const {
    return edits_.users(value);
  }
  const graph::Node& node(graph::NodeId id) const { return edits_.graph().node(id); }
  const Tensor* constant(graph::ValueId value) const;  // nullptr where it is none
  // The number that every element of a constant has, if it has elements and it is one number that a
  // double holds exactly. A zero's sign counts: 0 and -0 are two numbers.
  std::optional<double> uniform(graph::ValueId value) const;

  // The type that `make` would give its result; nothing where the operator refuses.
  std::optional<TensorType> type_of(std::string_view op, const std::vector<graph::ValueId>& inputs,
                                    ops::Attributes attributes = {}) const;
  // New values; they take the node's origin, and that of the nodes it consumes. A node is named
  // after this one; its type is inferred. A refusal by the operator is a broken rule (CHECK).
  graph::ValueId make(std::string_view op, std::vector<graph::ValueId> inputs,
                      ops::Attributes attributes = {});
  // The same, but operands that are all small constants are computed with at once.
  graph::ValueId make_folded(std::string_view op, std::vector<graph::ValueId> inputs,
                             ops::Attributes attributes = {});
  std::vector<graph::ValueId> make_several(std::string_view op, std::vector<graph::ValueId> inputs,
                                           ops::Attributes attributes, std::size_t results);
  graph::ValueId make_constant(Tensor value);
  graph::ValueId make_uniform(DataType type, double value, Shape shape = {});
  // The same for a result of any size: a large one, and one that is the network's, is an Expand.
  graph::ValueId make_filled(const TensorType& type, double value);

  // What stands for a further result of the node, whose first one is replaced by what the rule
  // returns. A rule whose node has another result in use and no stand-in for it does not apply.
  void stand_in(std::size_t result, graph::ValueId value) {
    stand_ins_.emplace_back(result, value);
  }
  // Replaces the sentence that the rewrite carries, which otherwise says the rule's before and
  // after.
  void explain(std::string sentence) { explanation_ = std::move(sentence); }

 private:
  friend class Engine;
  Edits& edits_;
  const graph::Node& node_;
  std::vector<graph::NodeId> seen_, made_;
  std::vector<std::pair<std::size_t, graph::ValueId>> stand_ins_;
  std::string explanation_;
};

struct Rule {
  std::string name;       // "multiply-by-one"; what a Rewrite carries
  std::string before;     // "x * 1", in the words of a textbook
  std::string after;      // "x"
  std::string condition;  // when it applies and why it is right, a sentence; may be empty
  RuleClass kind = RuleClass::Exact;
  std::vector<std::string> roots;  // the operators of nodes it is tried at; none: any
  // The value that replaces the node's first result, or nothing where the rule does not apply. It
  // has the result's type (CHECK).
  std::function<std::optional<graph::ValueId>(Site&)> apply;
  // Whether it looks at nothing but the node and the types of its operands, so that what happens
  // around it is no reason to try again.
  bool local = false;
};

using RuleTable = std::vector<Rule>;

}  // namespace loopglass::passes::rules
