#include "core/loop/interpret_graph.h"

#include "core/loop/interpreter.h"

#include <fmt/format.h>

namespace loopglass::loop {

namespace {

using Values = std::map<graph::ValueId, Tensor>;

Result<Values> starting_values(const graph::Graph& graph, std::span<const Tensor> inputs) {
  if (inputs.size() != graph.inputs().size())
    return fail(Code::InputMismatch, fmt::format("the network takes {} inputs, got {}",
                                                 graph.inputs().size(), inputs.size()));
  Values values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const graph::Value& input = graph.value(graph.inputs()[i]);
    if (inputs[i].type() != input.type)
      return fail(Code::InputMismatch,
                  fmt::format("input '{}' is {}, got {}", input.name, to_string(input.type),
                              to_string(inputs[i].type())));
    values[input.id] = inputs[i];
  }
  for (const graph::ValuePtr& value : graph.values())
    if (value->is_constant()) values[value->id] = value->constant;
  return values;
}

Result<void> interpret_node(const graph::Node& node, Values& values) {
  std::vector<Tensor> inputs;
  for (const graph::ValueId input : node.inputs)
    inputs.push_back(input ? values.at(input) : Tensor());
  auto results = evaluate(*node.op, node.attributes, inputs, node.outputs.size());
  if (!results) {
    Diagnostic diagnostic = std::move(results).error();
    if (diagnostic.where.empty())
      diagnostic.where = fmt::format("node '{}' ({})", node.name, operator_name(node));
    return std::unexpected(std::move(diagnostic));
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    values[node.outputs[i]] = std::move((*results)[i]);
  return {};
}

// Runs every node; `keep` decides which values outlive their last use.
template <class Keep>
Result<Values> run(const graph::Graph& graph, std::span<const Tensor> inputs,
                   const Cancellation& cancellation, Keep keep) {
  Values values = TRY(starting_values(graph, inputs));
  std::map<graph::ValueId, std::size_t> remaining;
  for (const graph::NodePtr& node : graph.nodes())
    for (const graph::ValueId input : node->inputs) ++remaining[input];
  for (const graph::NodePtr& node : graph.nodes()) {
    if (cancellation.requested())
      return fail(Code::Cancelled, "interpreting the network was cancelled");
    TRY_VOID(interpret_node(*node, values));
    for (const graph::ValueId input : node->inputs)
      if (--remaining[input] == 0 && !keep(input)) values.erase(input);
  }
  return values;
}

}  // namespace

Result<Values> interpret_values(const graph::Graph& graph, std::span<const Tensor> inputs,
                                const Cancellation& cancellation) {
  return run(graph, inputs, cancellation, [](graph::ValueId) { return true; });
}

Result<std::vector<Tensor>> interpret(const graph::Graph& graph, std::span<const Tensor> inputs,
                                      const Cancellation& cancellation) {
  Values values =
      TRY(run(graph, inputs, cancellation, [&](graph::ValueId id) { return graph.is_output(id); }));
  std::vector<Tensor> outputs;
  for (const graph::ValueId output : graph.outputs()) outputs.push_back(values.at(output));
  return outputs;
}

}  // namespace loopglass::loop
