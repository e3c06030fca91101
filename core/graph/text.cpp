#include "core/graph/text.h"

#include "core/graph/text_literals.h"
#include "core/ops/opaque.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace loopglass::graph {

namespace {

std::string attributes_text(const Node& node, const TextOptions& options) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : node.attributes.all()) {
    const auto spec =
        std::find_if(node.op->attributes.begin(), node.op->attributes.end(),
                     [&, &key = name](const ops::AttributeSpec& s) { return s.name == key; });
    const bool is_default =
        spec != node.op->attributes.end() && spec->fallback &&
        ops::Attributes{{name, *spec->fallback}} == ops::Attributes{{name, value}};
    // Types stand with the results.
    if (is_opaque(node) && name == ops::opaque_types) continue;
    if (!is_default || options.defaults)
      entries.push_back(
          fmt::format("{} = {}", name, attribute_literal(value, options.constant_elements)));
  }
  return entries.empty() ? "" : fmt::format(" {{{}}}", fmt::join(entries, ", "));
}

std::string node_text(const Graph& graph, const Node& node, const TextOptions& options) {
  std::vector<std::string> outputs, inputs;
  for (const ValueId id : node.outputs) {
    const Value& value = graph.value(id);
    outputs.push_back(fmt::format("{}: {}", value_name(value.name), type_text(value.type)));
  }
  for (const ValueId id : node.inputs)
    inputs.push_back(id ? value_name(graph.value(id).name) : "_");
  std::string text =
      fmt::format("{} = {}({}){} {}", fmt::join(outputs, ", "), node.op->name,
                  fmt::join(inputs, ", "), attributes_text(node, options), quote(node.name));
  if (!node.origin.sources.empty())
    text += fmt::format(" from {}", fmt::join(node.origin.sources, ", "));
  return text;
}

}  // namespace

std::string to_text(const Graph& graph, const TextOptions& options) {
  std::string text = fmt::format("graph {} {{\n", quote(graph.name()));
  for (const ValueId id : graph.inputs())
    text += fmt::format("  input {}: {}\n", value_name(graph.value(id).name),
                        type_text(graph.value(id).type));
  for (const ValuePtr& value : graph.values())
    if (value->is_constant())
      text += fmt::format("  const {}: {} = {}\n", value_name(value->name), type_text(value->type),
                          tensor_elements(value->constant, options.constant_elements));
  for (const NodePtr& node : graph.nodes())
    text += fmt::format("  {}\n", node_text(graph, *node, options));
  for (const ValueId id : graph.outputs())
    text += fmt::format("  output {}\n", value_name(graph.value(id).name));
  return text + "}\n";
}

std::string to_json(const Graph& graph) {
  using nlohmann::ordered_json;
  const auto ids = [](const std::vector<ValueId>& values) {
    ordered_json list = ordered_json::array();
    for (const ValueId id : values)
      list.push_back(id ? ordered_json(id.value) : ordered_json(nullptr));
    return list;
  };
  ordered_json nodes = ordered_json::array(), values = ordered_json::array();
  for (const NodePtr& node : graph.nodes()) {
    ordered_json attributes = ordered_json::object();
    for (const auto& [name, value] : node->attributes.all()) {
      std::visit(
          [&, &key = name]<class T>(const T& held) {
            if constexpr (std::is_same_v<T, Tensor>) attributes[key] = attribute_literal(held, 16);
            else attributes[key] = held;
          },
          value);
    }
    nodes.push_back({{"id", node->id.value},
                     {"name", node->name},
                     {"operator", operator_name(*node)},
                     {"opaque", is_opaque(*node)},
                     {"family", ops::name(node->op->family)},
                     {"inputs", ids(node->inputs)},
                     {"outputs", ids(node->outputs)},
                     {"attributes", attributes},
                     {"origin", node->origin.sources}});
  }
  for (const ValuePtr& value : graph.values())
    values.push_back(
        {{"id", value->id.value},
         {"name", value->name},
         {"type", value->type.is_known() ? name(value->type.type) : value->type.declared},
         {"shape",
          value->type.is_known() ? ordered_json(value->type.shape) : ordered_json(nullptr)},
         {"constant", value->is_constant()}});
  return ordered_json{{"name", graph.name()},
                      {"inputs", ids(graph.inputs())},
                      {"outputs", ids(graph.outputs())},
                      {"nodes", nodes},
                      {"values", values}}  // Names come from models and need not be UTF-8.
      .dump(2, ' ', false, ordered_json::error_handler_t::replace);
}

}  // namespace loopglass::graph
