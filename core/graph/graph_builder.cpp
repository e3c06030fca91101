// Editing: a builder owns a private copy of the graph's tables (the nodes and values in them stay
// shared), keeps the users of every value up to date, and sorts once at the end.
#include "core/graph/graph.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <queue>

namespace loopglass::graph {

GraphBuilder::GraphBuilder(std::string name) { graph_.name_ = std::move(name); }

GraphBuilder::GraphBuilder(const Graph& base) : graph_(base) {
  for (const NodePtr& node : base.nodes_) {
    nodes_.emplace(node->id, node);
    order_.push_back(node->id);
    ++node_names_[node->name];
    for (const ValueId input : node->inputs)
      if (input) users_[input].push_back(node->id);
  }
  for (const ValuePtr& value : base.values_)
    if (value) ++value_names_[value->name];
}

namespace {
// `name`, or `name_1`, `name_2`, ... whichever is free; marks it as taken.
std::string unique_name(std::unordered_map<std::string, int>& taken, std::string name) {
  if (name.empty()) name = "unnamed";
  int& count = taken[name];
  if (count++ == 0) return name;
  for (;; ++count) {
    std::string candidate = fmt::format("{}_{}", name, count - 1);
    if (taken.try_emplace(candidate, 1).second) return candidate;
  }
}
}  // namespace

std::string GraphBuilder::unique_node_name(std::string name) {
  return unique_name(node_names_, std::move(name));
}

std::string GraphBuilder::unique_value_name(std::string name) {
  return unique_name(value_names_, std::move(name));
}

ValueId GraphBuilder::add_value(std::string name, TensorType type, NodeId producer, Tensor constant) {
  const ValueId id{graph_.next_value_++};
  graph_.values_.resize(graph_.next_value_);
  graph_.values_[id.value] = std::make_shared<const Value>(
      Value{id, unique_value_name(std::move(name)), std::move(type), producer, std::move(constant)});
  return id;
}

ValueId GraphBuilder::add_input(std::string name, TensorType type) {
  const ValueId id = add_value(std::move(name), std::move(type), {}, {});
  graph_.inputs_.push_back(id);
  return id;
}

ValueId GraphBuilder::add_constant(std::string name, Tensor value) {
  CHECK(value.defined());
  TensorType type = value.type();
  return add_value(std::move(name), std::move(type), {}, std::move(value));
}

Result<NodeId> GraphBuilder::add_node(std::string name, const ops::OpDef& op, std::vector<ValueId> inputs,
                                      ops::Attributes attributes, std::size_t output_count, Origin origin,
                                      std::vector<std::string> output_names) {
  std::vector<const TensorType*> types;
  for (const ValueId input : inputs) types.push_back(input ? &value(input).type : nullptr);
  auto inferred = ops::infer(op, types, attributes, output_count);
  if (!inferred) {
    Diagnostic diagnostic = std::move(inferred).error();
    if (diagnostic.where.empty()) diagnostic.where = fmt::format("node '{}' ({})", name, op.name);
    return std::unexpected(std::move(diagnostic));
  }
  const NodeId id{graph_.next_node_++};
  Node node{id, unique_node_name(name), &op, std::move(attributes), std::move(inputs), {}, std::move(origin)};
  for (std::size_t i = 0; i < inferred->size(); ++i) {
    std::string output = i < output_names.size() && !output_names[i].empty() ? output_names[i]
                         : i == 0                                           ? node.name
                                  : fmt::format("{}_{}", node.name, op.outputs[std::min(i, op.outputs.size() - 1)].name);
    node.outputs.push_back(add_value(std::move(output), std::move((*inferred)[i]), id, {}));
  }
  for (const ValueId input : node.inputs)
    if (input) users_[input].push_back(id);
  nodes_.emplace(id, std::make_shared<const Node>(std::move(node)));
  order_.push_back(id);
  return id;
}

void GraphBuilder::set_outputs(std::vector<ValueId> outputs) { graph_.outputs_ = std::move(outputs); }

bool GraphBuilder::can_replace(ValueId from, ValueId to) const {
  if (value(from).type != value(to).type) return false;
  // An output keeps its name, so its value must be one that can be renamed.
  return !graph_.is_output(from) || (value(to).producer && !graph_.is_output(to));
}

void GraphBuilder::replace_uses(ValueId from, ValueId to) {
  CHECK(can_replace(from, to), fmt::format("'{}' cannot stand for '{}'", value(to).name, value(from).name));
  for (const NodeId user : std::exchange(users_[from], {})) {
    Node changed = *nodes_.at(user);
    if (std::find(changed.inputs.begin(), changed.inputs.end(), from) == changed.inputs.end()) continue;
    for (ValueId& input : changed.inputs) {
      if (input != from) continue;
      input = to;
      users_[to].push_back(user);
    }
    nodes_.at(user) = std::make_shared<const Node>(std::move(changed));
  }
  if (!graph_.is_output(from)) return;
  std::replace(graph_.outputs_.begin(), graph_.outputs_.end(), from, to);
  const std::string public_name = value(from).name;
  rename(from, public_name + "_replaced");
  rename(to, public_name);
}

void GraphBuilder::rename(ValueId id, const std::string& name) {
  Value renamed = value(id);
  value_names_.erase(renamed.name);
  renamed.name = unique_value_name(name);
  graph_.values_[id.value] = std::make_shared<const Value>(std::move(renamed));
}

void GraphBuilder::rename(NodeId id, const std::string& name) {
  Node renamed = node(id);
  node_names_.erase(renamed.name);
  renamed.name = unique_node_name(name);
  nodes_.at(id) = std::make_shared<const Node>(std::move(renamed));
}

bool GraphBuilder::is_used(ValueId id) const {
  const auto found = users_.find(id);
  return graph_.is_output(id) || (found != users_.end() && !found->second.empty());
}

void GraphBuilder::remove_node(NodeId id) {
  const NodePtr node = nodes_.at(id);
  for (const ValueId output : node->outputs) {
    CHECK(!is_used(output), fmt::format("'{}' is still used", value(output).name));
    value_names_.erase(value(output).name);
    graph_.values_[output.value] = nullptr;
  }
  node_names_.erase(node->name);
  for (const ValueId input : node->inputs)
    if (input) std::erase(users_[input], id);
  nodes_.erase(id);
}

void GraphBuilder::remove_unused_constants() {
  for (ValuePtr& value : graph_.values_)
    if (value && value->is_constant() && !is_used(value->id)) {
      value_names_.erase(value->name);
      value = nullptr;
    }
}

const Node& GraphBuilder::node(NodeId id) const {
  const auto found = nodes_.find(id);
  CHECK(found != nodes_.end(), fmt::format("no node {}", id.value));
  return *found->second;
}

const Node* GraphBuilder::find(NodeId id) const {
  const auto found = nodes_.find(id);
  return found == nodes_.end() ? nullptr : found->second.get();
}

const Value& GraphBuilder::value(ValueId id) const { return graph_.value(id); }

// Kahn's algorithm with the earliest ready node first, so survivors keep their order.
Result<Graph> GraphBuilder::finish() && {
  std::unordered_map<NodeId, std::size_t> rank, waiting;
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Node* node = find(order_[i]);
    if (node == nullptr) continue;
    rank[node->id] = i;
    std::size_t inputs = 0;
    for (const ValueId input : node->inputs) {
      if (!input) continue;
      const Value* value = graph_.find(input);
      if (value == nullptr)
        return fail(Code::GraphInvalid, fmt::format("node '{}' reads a value that does not exist", node->name));
      if (value->producer) ++inputs;
    }
    waiting[node->id] = inputs;
    if (inputs == 0) ready.push(i);
  }
  graph_.nodes_.clear();
  graph_.position_.clear();
  graph_.uses_.assign(graph_.values_.size(), {});
  while (!ready.empty()) {
    const NodePtr& node = nodes_.at(order_[ready.top()]);
    ready.pop();
    graph_.position_[node->id] = graph_.nodes_.size();
    graph_.nodes_.push_back(node);
    for (std::size_t i = 0; i < node->inputs.size(); ++i)
      if (node->inputs[i]) graph_.uses_[node->inputs[i].value].push_back({node->id, i});
    for (const ValueId output : node->outputs)
      if (const auto users = users_.find(output); users != users_.end())
        for (const NodeId user : users->second)
          if (--waiting.at(user) == 0) ready.push(rank.at(user));
  }
  if (graph_.nodes_.size() != nodes_.size()) {
    for (const auto& [id, count] : waiting)
      if (count > 0)
        return fail(Code::GraphInvalid, fmt::format("node '{}' lies on a cycle", nodes_.at(id)->name));
  }
  for (const ValueId output : graph_.outputs_)
    if (graph_.find(output) == nullptr)
      return fail(Code::GraphInvalid, "a graph output does not exist");
  return std::move(graph_);
}

}  // namespace loopglass::graph
