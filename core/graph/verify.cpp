#include "core/graph/graph.h"

#include <fmt/format.h>
#include <algorithm>
#include <unordered_set>

namespace loopglass::graph {

namespace {

std::unexpected<Diagnostic> broken(const Graph& graph, std::string what) {
  return fail(Code::GraphInvalid, std::move(what), fmt::format("graph '{}'", graph.name()));
}

// Which values have been defined, by id.
class Defined {
 public:
  void add(ValueId id) {
    if (id.value >= known_.size()) known_.resize(id.value + 1, false);
    known_[id.value] = true;
  }
  bool contains(ValueId id) const { return id.value < known_.size() && known_[id.value]; }

 private:
  std::vector<bool> known_;
};

// Nodes and values are immutable: the same node on the same values is as well typed as it was.
bool is_shared(const Graph& graph, const Node& node, const Graph& base) {
  const auto same_value = [&](ValueId id) { return !id || graph.find(id) == base.find(id); };
  return base.find(node.id) == &node &&
         std::all_of(node.inputs.begin(), node.inputs.end(), same_value) &&
         std::all_of(node.outputs.begin(), node.outputs.end(), same_value);
}

Result<void> verify_node(const Graph& graph, const Node& node, const Defined& available,
                         const Graph* base) {
  std::vector<const TensorType*> types;
  for (const ValueId input : node.inputs) {
    if (input && !available.contains(input))
      return broken(graph, fmt::format("node '{}' reads value {} before it is defined", node.name,
                                       input.value));
    types.push_back(input ? &graph.value(input).type : nullptr);
  }
  if (base != nullptr && is_shared(graph, node, *base)) return {};
  ops::Attributes attributes = node.attributes;
  auto inferred = ops::infer(*node.op, types, attributes, node.outputs.size());
  if (!inferred)
    return broken(graph,
                  fmt::format("node '{}' is not well typed: {}", node.name, inferred.error().what));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const Value* output = graph.find(node.outputs[i]);
    if (output == nullptr || output->producer != node.id)
      return broken(
          graph, fmt::format("output {} of node '{}' does not name it as producer", i, node.name));
    if (output->type != (*inferred)[i])
      return broken(graph,
                    fmt::format("node '{}' makes {} but its output is declared {}", node.name,
                                to_string((*inferred)[i]), to_string(output->type)));
  }
  return {};
}

Result<void> verify(const Graph& graph, const Graph* base) {
  Defined available;
  std::unordered_set<std::string_view> value_names, node_names;
  for (const ValuePtr& value : graph.values()) {
    if (!value_names.insert(value->name).second)
      return broken(graph, fmt::format("two values are called '{}'", value->name));
    if (value->producer) {
      if (graph.find(value->producer) == nullptr)
        return broken(graph, fmt::format("value '{}' has no producer in the graph", value->name));
    } else {
      available.add(value->id);
      if (value->is_constant() && value->constant.type() != value->type)
        return broken(graph,
                      fmt::format("constant '{}' does not have its declared type", value->name));
    }
  }
  for (const ValueId input : graph.inputs()) {
    const Value* value = graph.find(input);
    if (value == nullptr || value->producer || value->is_constant())
      return broken(graph, fmt::format("graph input {} is not an input value", input.value));
  }
  for (const NodePtr& node : graph.nodes()) {
    if (!node_names.insert(node->name).second)
      return broken(graph, fmt::format("two nodes are called '{}'", node->name));
    TRY_VOID(verify_node(graph, *node, available, base));
    for (const ValueId output : node->outputs) available.add(output);
  }
  for (const ValueId output : graph.outputs())
    if (!available.contains(output))
      return broken(graph, fmt::format("graph output {} is never computed", output.value));
  return {};
}

}  // namespace

Result<void> verify(const Graph& graph) { return verify(graph, nullptr); }
Result<void> verify(const Graph& graph, const Graph& base) { return verify(graph, &base); }

}  // namespace loopglass::graph
