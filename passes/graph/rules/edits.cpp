#include "passes/graph/rules/edits.h"

#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>

namespace loopglass::passes::rules {

Edits::Edits(const graph::Graph& graph) : builder_(graph) {
  for (const graph::NodePtr& node : graph.nodes())
    for (const graph::ValueId input : node->inputs)
      if (input) mutable_users(input).push_back(node->id);
}

std::vector<graph::NodeId>& Edits::mutable_users(graph::ValueId value) {
  if (value.value >= users_.size()) users_.resize(value.value + 1);
  return users_[value.value];
}

Tensor Edits::constant(graph::ValueId value) const {
  return value ? builder_.value(value).constant : Tensor();
}

graph::ValueId Edits::input(const graph::Node& node, std::size_t index) {
  return index < node.inputs.size() ? node.inputs[index] : graph::ValueId{};
}

const std::vector<graph::NodeId>& Edits::users(graph::ValueId value) const {
  static const std::vector<graph::NodeId> none;
  return value.value < users_.size() ? users_[value.value] : none;
}

bool Edits::is_needed(const graph::Node& node) const {
  return std::any_of(node.outputs.begin(), node.outputs.end(),
                     [&](graph::ValueId output) { return builder_.is_used(output); });
}

graph::NodeId Edits::add_node(const std::string& name, ops::Operation operation,
                              std::vector<graph::ValueId> inputs, std::size_t results,
                              Origin origin) {
  const auto id = builder_.add_node(name, *operation.op, inputs, std::move(operation.attributes),
                                    results, std::move(origin));
  CHECK(id.has_value(), fmt::format("{} was made of what it refuses: {}", operation.op->name,
                                    to_string(id.error())));
  for (const graph::ValueId input : inputs)
    if (input) mutable_users(input).push_back(*id);
  return *id;
}

graph::ValueId Edits::add_constant(const std::string& name, Tensor value) {
  return builder_.add_constant(name, std::move(value));
}

void Edits::replace_uses(graph::ValueId from, graph::ValueId to) {
  builder_.replace_uses(from, to);
  std::vector<graph::NodeId> moved = std::exchange(mutable_users(from), {});
  std::vector<graph::NodeId>& users = mutable_users(to);
  users.insert(users.end(), moved.begin(), moved.end());
}

void Edits::remove_node(graph::NodeId id) {
  for (const graph::ValueId input : builder_.node(id).inputs)
    if (input) std::erase(mutable_users(input), id);
  builder_.remove_node(id);
}

graph::NodeId Edits::put_in_place(const graph::Node& node, graph::ValueId result) {
  return put_in_place(node, std::vector{result});
}

// `results` by value: those of a node go with it when it is renamed.
graph::NodeId Edits::put_in_place(const graph::Node& node, std::vector<graph::ValueId> results) {
  const graph::NodeId made = builder_.value(results.front()).producer;
  const std::string node_name = node.name;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < results.size(); ++i) {
    names.push_back(builder_.value(node.outputs[i]).name);
    replace_uses(node.outputs[i], results[i]);
  }
  remove_node(node.id);
  rename(made, node_name);
  for (std::size_t i = 0; i < results.size(); ++i) rename(results[i], names[i]);
  return made;
}

void Edits::remove_unneeded(graph::ValueId value) {
  std::vector<graph::ValueId> left{value};
  while (!left.empty()) {
    const graph::ValueId last = left.back();
    left.pop_back();
    const graph::NodeId made_by = last ? builder_.value(last).producer : graph::NodeId{};
    if (!made_by || is_needed(builder_.node(made_by))) continue;
    const std::vector<graph::ValueId> inputs = builder_.node(made_by).inputs;
    remove_node(made_by);
    left.insert(left.end(), inputs.begin(), inputs.end());
  }
}

Result<graph::Graph> Edits::finish() && {
  builder_.remove_unused_constants();
  return std::move(builder_).finish();
}

}  // namespace loopglass::passes::rules
