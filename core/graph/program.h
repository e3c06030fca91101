// What a node computes, as a tensor expression over the types that its values have in a graph or in
// one that is being built.
#pragma once

#include <concepts>

#include "core/graph/graph.h"

namespace loopglass::graph {

// `type_of(id)` is the type of a value. Fails with the operator's own diagnostic where it cannot be
// computed here.
template <std::invocable<ValueId> TypeOf>
Result<te::Program> program_of(const Node& node, const TypeOf& type_of) {
  std::vector<const TensorType*> inputs;  // null: an optional operand that was left out
  std::vector<TensorType> outputs;
  for (const ValueId input : node.inputs) inputs.push_back(input ? &type_of(input) : nullptr);
  for (const ValueId output : node.outputs) outputs.push_back(type_of(output));
  return ops::program_of(*node.op, inputs, node.attributes, outputs);
}

inline Result<te::Program> program_of(const Graph& graph, const Node& node) {
  return program_of(node, [&](ValueId id) -> const TensorType& { return graph.value(id).type; });
}

inline Result<te::Program> program_of(const GraphBuilder& builder, const Node& node) {
  return program_of(node, [&](ValueId id) -> const TensorType& { return builder.value(id).type; });
}

}  // namespace loopglass::graph
