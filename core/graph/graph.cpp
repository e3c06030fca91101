#include "core/graph/graph.h"

#include "core/ops/opaque.h"
#include "core/support/check.h"
#include "core/support/hash.h"

#include <fmt/format.h>

namespace loopglass::graph {

std::string operator_name(const Node& node) {
  return is_opaque(node) ? ops::opaque_name(node.attributes) : node.op->name;
}

std::vector<ValuePtr> Graph::values() const {
  std::vector<ValuePtr> present;
  for (const ValuePtr& value : values_)
    if (value) present.push_back(value);
  return present;
}

const Node* Graph::find(NodeId id) const {
  const bool here = id.value < position_.size() && position_[id.value] != absent;
  return here ? nodes_[position_[id.value]].get() : nullptr;
}

const Value* Graph::find(ValueId id) const {
  return id.value < values_.size() ? values_[id.value].get() : nullptr;
}

const Node& Graph::node(NodeId id) const {
  const Node* found = find(id);
  CHECK(found != nullptr, fmt::format("no node {}", id.value));
  return *found;
}

const Value& Graph::value(ValueId id) const {
  const Value* found = find(id);
  CHECK(found != nullptr, fmt::format("no value {}", id.value));
  return *found;
}

NodePtr Graph::share(NodeId id) const { return nodes_[position(id)]; }

ValuePtr Graph::share(ValueId id) const {
  CHECK(find(id) != nullptr);
  return values_[id.value];
}

const Node* Graph::find_node(std::string_view name) const {
  for (const NodePtr& node : nodes_)
    if (node->name == name) return node.get();
  return nullptr;
}

const Value* Graph::find_value(std::string_view name) const {
  for (const ValuePtr& value : values_)
    if (value && value->name == name) return value.get();
  return nullptr;
}

std::size_t Graph::position(NodeId id) const {
  CHECK(find(id) != nullptr, fmt::format("no node {}", id.value));
  return position_[id.value];
}

const std::vector<Graph::Use>& Graph::uses(ValueId id) const {
  static const std::vector<Use> none;
  return id.value < uses_.size() ? uses_[id.value] : none;
}

bool Graph::is_output(ValueId id) const {
  return id.value < is_output_.size() && is_output_[id.value];
}

std::uint64_t Graph::content_hash() const {
  Hasher hasher;
  const auto add_type = [&](const TensorType& type) {
    hasher.value(type.type).value(type.shape.size());
    for (const auto extent : type.shape) hasher.value(extent);
    hasher.text(type.declared);
  };
  for (const ValuePtr& value : values_) {
    if (!value) continue;
    hasher.value(value->id.value);
    add_type(value->type);
    if (value->is_constant()) hasher.value(value->constant.content_hash());
  }
  for (const NodePtr& node : nodes_) {
    hasher.text(node->op->name);
    for (const auto& [name, attribute] : node->attributes.all()) {
      hasher.text(name);
      if (const Tensor* tensor = std::get_if<Tensor>(&attribute))
        hasher.value(tensor->content_hash());
      else hasher.text(ops::to_string(attribute));
    }
    hasher.value(node->inputs.size());
    for (const ValueId id : node->inputs) hasher.value(id.value);
    for (const ValueId id : node->outputs) hasher.value(id.value);
  }
  for (const ValueId id : inputs_) hasher.value(id.value);
  for (const ValueId id : outputs_) hasher.value(id.value);
  return hasher.digest();
}

}  // namespace loopglass::graph
