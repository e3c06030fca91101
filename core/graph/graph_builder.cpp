// Editing: a builder owns a private copy of the graph's tables (the nodes and values in them stay
// shared), keeps the uses of every value up to date, and puts the nodes in order once at the end.
#include "core/graph/graph.h"
#include "core/support/check.h"

#include <fmt/format.h>
#include <algorithm>
#include <queue>

namespace loopglass::graph {

GraphBuilder::GraphBuilder(std::string name) { graph_.name_ = std::move(name); }

GraphBuilder::GraphBuilder(const Graph& base) : graph_(base), nodes_(base.position_.size()) {
  order_.reserve(base.nodes_.size());
  for (const NodePtr& node : base.nodes_) {
    nodes_[node->id.value] = node;
    order_.push_back(node->id);
  }
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

GraphBuilder::Names& GraphBuilder::node_names() {
  if (!node_names_) {
    node_names_.emplace();
    for (const NodePtr& node : nodes_)
      if (node) ++(*node_names_)[node->name];
  }
  return *node_names_;
}

GraphBuilder::Names& GraphBuilder::value_names() {
  if (!value_names_) {
    value_names_.emplace();
    for (const ValuePtr& value : graph_.values_)
      if (value) ++(*value_names_)[value->name];
  }
  return *value_names_;
}

std::string GraphBuilder::unique_node_name(std::string name) {
  return unique_name(node_names(), std::move(name));
}

std::string GraphBuilder::unique_value_name(std::string name) {
  return unique_name(value_names(), std::move(name));
}

ValueId GraphBuilder::add_value(std::string name, TensorType type, NodeId producer,
                                Tensor constant) {
  changed_ = true;
  const ValueId id{static_cast<std::uint32_t>(graph_.values_.size())};
  std::string unique = unique_value_name(std::move(name));
  graph_.values_.push_back(std::make_shared<const Value>(
      Value{id, std::move(unique), std::move(type), producer, std::move(constant)}));
  graph_.uses_.emplace_back();
  graph_.is_output_.push_back(false);
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

Result<NodeId> GraphBuilder::add_node(std::string name, const ops::OpDef& op,
                                      std::vector<ValueId> inputs, ops::Attributes attributes,
                                      std::size_t output_count, Origin origin,
                                      std::vector<std::string> output_names) {
  std::vector<const TensorType*> types;
  for (const ValueId input : inputs) types.push_back(input ? &value(input).type : nullptr);
  auto inferred = ops::infer(op, types, attributes, output_count);
  if (!inferred) {
    Diagnostic diagnostic = std::move(inferred).error();
    if (diagnostic.where.empty()) diagnostic.where = fmt::format("node '{}' ({})", name, op.name);
    return std::unexpected(std::move(diagnostic));
  }
  const NodeId id{static_cast<std::uint32_t>(nodes_.size())};
  Node node{id, unique_node_name(name), &op, std::move(attributes), std::move(inputs),
            {}, std::move(origin)};
  for (std::size_t i = 0; i < inferred->size(); ++i) {
    std::string output =
        i < output_names.size() && !output_names[i].empty() ? output_names[i]
        : i == 0
            ? node.name
            : fmt::format("{}_{}", node.name, op.outputs[std::min(i, op.outputs.size() - 1)].name);
    node.outputs.push_back(add_value(std::move(output), std::move((*inferred)[i]), id, {}));
  }
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (node.inputs[i]) uses(node.inputs[i]).push_back({id, i});
  nodes_.push_back(std::make_shared<const Node>(std::move(node)));
  order_.push_back(id);
  return id;
}

void GraphBuilder::set_outputs(std::vector<ValueId> outputs) {
  changed_ = true;
  graph_.outputs_ = std::move(outputs);
  graph_.is_output_.assign(graph_.values_.size(), false);
  for (const ValueId output : graph_.outputs_)
    if (output.value < graph_.values_.size()) graph_.is_output_[output.value] = true;
}

bool GraphBuilder::can_replace(ValueId from, ValueId to) const {
  if (value(from).type != value(to).type) return false;
  // An output keeps its name, so its value must be one that can be renamed.
  return !graph_.is_output(from) || (value(to).producer && !graph_.is_output(to));
}

void GraphBuilder::replace_uses(ValueId from, ValueId to) {
  CHECK(can_replace(from, to),
        fmt::format("'{}' cannot stand for '{}'", value(to).name, value(from).name));
  changed_ = true;
  for (const Graph::Use use : std::exchange(uses(from), {})) {
    Node changed = node(use.node);
    changed.inputs[use.input] = to;
    uses(to).push_back(use);
    nodes_[use.node.value] = std::make_shared<const Node>(std::move(changed));
  }
  if (!is_output(from)) return;
  std::replace(graph_.outputs_.begin(), graph_.outputs_.end(), from, to);
  graph_.is_output_[from.value] = false;
  graph_.is_output_[to.value] = true;
  const std::string public_name = value(from).name;
  rename(from, public_name + "_replaced");
  rename(to, public_name);
}

void GraphBuilder::rename(ValueId id, const std::string& name) {
  changed_ = true;
  Value renamed = value(id);
  value_names().erase(renamed.name);
  renamed.name = unique_value_name(name);
  graph_.values_[id.value] = std::make_shared<const Value>(std::move(renamed));
}

void GraphBuilder::rename(NodeId id, const std::string& name) {
  changed_ = true;
  Node renamed = node(id);
  node_names().erase(renamed.name);
  renamed.name = unique_node_name(name);
  nodes_[id.value] = std::make_shared<const Node>(std::move(renamed));
}

bool GraphBuilder::is_used(ValueId id) const { return is_output(id) || !graph_.uses(id).empty(); }

void GraphBuilder::remove_node(NodeId id) {
  changed_ = true;
  const NodePtr removed = nodes_[node(id).id.value];
  for (const ValueId output : removed->outputs) {
    CHECK(!is_used(output), fmt::format("'{}' is still used", value(output).name));
    if (value_names_) value_names_->erase(value(output).name);
    graph_.values_[output.value] = nullptr;
  }
  if (node_names_) node_names_->erase(removed->name);
  for (const ValueId input : removed->inputs)
    if (input) std::erase_if(uses(input), [&](const Graph::Use& use) { return use.node == id; });
  nodes_[id.value] = nullptr;
}

void GraphBuilder::remove_unused_constants() {
  for (ValuePtr& value : graph_.values_)
    if (value && value->is_constant() && !is_used(value->id)) {
      changed_ = true;
      if (value_names_) value_names_->erase(value->name);
      value = nullptr;
    }
}

const Node& GraphBuilder::node(NodeId id) const {
  const Node* found = find(id);
  CHECK(found != nullptr, fmt::format("no node {}", id.value));
  return *found;
}

const Node* GraphBuilder::find(NodeId id) const {
  return id.value < nodes_.size() ? nodes_[id.value].get() : nullptr;
}

const Value& GraphBuilder::value(ValueId id) const { return graph_.value(id); }

// Most changes leave the order of the rest as it was.
bool GraphBuilder::is_in_order() const {
  std::vector<bool> made(nodes_.size(), false);
  for (const NodeId id : order_) {
    for (const ValueId input : node(id).inputs)
      if (input && value(input).producer && !made[value(input).producer.value]) return false;
    made[id.value] = true;
  }
  return true;
}

// Kahn's algorithm with the earliest ready node first, so survivors keep their order.
Result<void> GraphBuilder::sort() {
  std::vector<std::size_t> rank(nodes_.size()), waiting(nodes_.size(), 0);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < order_.size(); ++i) {
    rank[order_[i].value] = i;
    std::size_t& inputs = waiting[order_[i].value];
    for (const ValueId input : node(order_[i]).inputs)
      if (input && value(input).producer) ++inputs;
    if (inputs == 0) ready.push(i);
  }
  std::vector<NodeId> sorted;
  sorted.reserve(order_.size());
  while (!ready.empty()) {
    const NodeId id = order_[ready.top()];
    ready.pop();
    sorted.push_back(id);
    for (const ValueId output : node(id).outputs)
      for (const Graph::Use& use : graph_.uses(output))
        if (--waiting[use.node.value] == 0) ready.push(rank[use.node.value]);
  }
  if (sorted.size() != order_.size()) {
    const auto stuck = std::find_if(order_.begin(), order_.end(),
                                    [&](NodeId id) { return waiting[id.value] > 0; });
    return fail(Code::GraphInvalid, fmt::format("node '{}' lies on a cycle", node(*stuck).name));
  }
  order_ = std::move(sorted);
  return {};
}

// What a Graph derives from its nodes' order.
void GraphBuilder::restore_tables() {
  graph_.nodes_.clear();
  graph_.nodes_.reserve(order_.size());
  graph_.position_.assign(nodes_.size(), Graph::absent);
  for (const NodeId id : order_) {
    graph_.position_[id.value] = static_cast<std::uint32_t>(graph_.nodes_.size());
    graph_.nodes_.push_back(nodes_[id.value]);
  }
  const auto earlier = [&](const Graph::Use& a, const Graph::Use& b) {
    return std::pair(graph_.position_[a.node.value], a.input) <
           std::pair(graph_.position_[b.node.value], b.input);
  };
  for (std::vector<Graph::Use>& of_value : graph_.uses_)
    if (of_value.size() > 1 && !std::is_sorted(of_value.begin(), of_value.end(), earlier))
      std::sort(of_value.begin(), of_value.end(), earlier);
}

Result<Graph> GraphBuilder::finish() && {
  if (!changed_) return std::move(graph_);
  std::erase_if(order_, [&](NodeId id) { return find(id) == nullptr; });
  for (const NodeId id : order_)
    for (const ValueId input : node(id).inputs)
      if (input && graph_.find(input) == nullptr)
        return fail(Code::GraphInvalid,
                    fmt::format("node '{}' reads a value that does not exist", node(id).name));
  if (!is_in_order()) TRY_VOID(sort());
  restore_tables();
  for (const ValueId output : graph_.outputs_)
    if (graph_.find(output) == nullptr)
      return fail(Code::GraphInvalid, "a graph output does not exist");
  return std::move(graph_);
}

}  // namespace loopglass::graph
