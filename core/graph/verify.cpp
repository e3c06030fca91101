#include "core/graph/graph.h"

#include <fmt/format.h>
#include <set>

namespace loopglass::graph {

namespace {

std::unexpected<Diagnostic> broken(const Graph& graph, std::string what) {
  return fail(Code::GraphInvalid, std::move(what), fmt::format("graph '{}'", graph.name()));
}

Result<void> verify_node(const Graph& graph, const Node& node, const std::set<ValueId>& available) {
  std::vector<const TensorType*> types;
  for (const ValueId input : node.inputs) {
    if (input && !available.contains(input))
      return broken(graph, fmt::format("node '{}' reads value {} before it is defined", node.name, input.value));
    types.push_back(input ? &graph.value(input).type : nullptr);
  }
  ops::Attributes attributes = node.attributes;
  auto inferred = ops::infer(*node.op, types, attributes, node.outputs.size());
  if (!inferred) return broken(graph, fmt::format("node '{}' is not well typed: {}", node.name, inferred.error().what));
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const Value* output = graph.find(node.outputs[i]);
    if (output == nullptr || output->producer != node.id)
      return broken(graph, fmt::format("output {} of node '{}' does not name it as producer", i, node.name));
    if (output->type != (*inferred)[i])
      return broken(graph, fmt::format("node '{}' makes {} but its output is declared {}", node.name,
                                       to_string((*inferred)[i]), to_string(output->type)));
  }
  return {};
}

}  // namespace

Result<void> verify(const Graph& graph) {
  std::set<ValueId> available;
  std::set<std::string_view> value_names, node_names;
  for (const ValuePtr& value : graph.values()) {
    if (!value_names.insert(value->name).second)
      return broken(graph, fmt::format("two values are called '{}'", value->name));
    if (value->producer) {
      if (graph.find(value->producer) == nullptr)
        return broken(graph, fmt::format("value '{}' has no producer in the graph", value->name));
    } else {
      available.insert(value->id);
      if (value->is_constant() && value->constant.type() != value->type)
        return broken(graph, fmt::format("constant '{}' does not have its declared type", value->name));
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
    if (auto result = verify_node(graph, *node, available); !result) return result;
    available.insert(node->outputs.begin(), node->outputs.end());
  }
  for (const ValueId output : graph.outputs())
    if (!available.contains(output))
      return broken(graph, fmt::format("graph output {} is never computed", output.value));
  return {};
}

}  // namespace loopglass::graph
