#include "core/graph/likeness.h"

#include "core/support/hash.h"

namespace loopglass::graph {

std::uint64_t likeness(const Graph& graph, const Node& node) {
  Hasher hasher;
  const auto type = [&](ValueId id) {
    if (!id) return void(hasher.value(-1));
    const TensorType& held = graph.value(id).type;
    hasher.value(held.type).value(held.shape.size());
    for (const std::int64_t extent : held.shape) hasher.value(extent);
  };
  hasher.text(operator_name(node));
  for (const auto& [name, value] : node.attributes.all()) {
    hasher.text(name).value(value.index());
    if (const Tensor* tensor = std::get_if<Tensor>(&value)) hasher.value(tensor->content_hash());
    else hasher.text(ops::to_string(value));
  }
  hasher.value(node.inputs.size());
  for (const ValueId input : node.inputs) type(input);
  for (const ValueId output : node.outputs) type(output);
  return hasher.digest();
}

}  // namespace loopglass::graph
