#include "core/fusion/row_chain.h"

#include "core/ops/support.h"

#include <optional>
#include <utility>

namespace loopglass::fusion {

namespace {

constexpr int most_steps = 8;  // between the product and the softmax

bool is(const graph::Node& node, std::string_view name) { return node.op->name == name; }

// The only node that reads it, which is nothing of the network's results.
const graph::Node* only_reader(const graph::Graph& graph, graph::ValueId value) {
  const auto& uses = graph.uses(value);
  return uses.size() == 1 && !graph.is_output(value) ? &graph.node(uses.front().node) : nullptr;
}

bool is_of_rows(const graph::Node& softmax, const TensorType& type) {
  return type.shape.size() > 1 &&
         ops::axis_of(softmax.attributes, type.shape.size()) + 1 == type.shape.size() &&
         (type.type == DataType::Float32 || type.type == DataType::Float64);
}

// The product that is scaled and masked, element for element, on the way to this value.
std::optional<graph::NodeId> product_behind(const graph::Graph& graph, graph::ValueId value) {
  for (int step = 0; step < most_steps; ++step) {
    const graph::NodeId producer = graph.value(value).producer;
    if (!producer || only_reader(graph, value) == nullptr) return std::nullopt;
    const graph::Node& node = graph.node(producer);
    if (is(node, "MatMul")) return producer;
    if (node.outputs.size() != 1 || !(is(node, "Mul") || is(node, "Div") || is(node, "Add") ||
                                      is(node, "Sub") || is(node, "Where")))
      return std::nullopt;
    graph::ValueId next = {};
    for (const graph::ValueId input : node.inputs)
      if (input && graph.value(input).producer &&
          graph.value(input).type == graph.value(value).type && !next)
        next = input;
    if (!next) return std::nullopt;
    value = next;
  }
  return std::nullopt;
}

}  // namespace

std::vector<RowChain> row_chains(const graph::Graph& graph) {
  std::vector<RowChain> chains;
  for (std::size_t position = 0; position < graph.nodes().size(); ++position) {
    const graph::Node& softmax = *graph.nodes()[position];
    if (!is(softmax, "Softmax")) continue;
    const graph::Value& scaled = graph.value(softmax.inputs.front());
    if (!is_of_rows(softmax, scaled.type) || scaled.type.bytes() <= least_bytes_in_bands) continue;
    const graph::Node* weighed = only_reader(graph, softmax.outputs.front());
    if (weighed == nullptr || !is(*weighed, "MatMul") ||
        weighed->inputs[0] != softmax.outputs.front())
      continue;
    if (const auto scores = product_behind(graph, scaled.id))
      chains.push_back({graph.position(*scores), graph.position(scaled.producer), position,
                        graph.position(weighed->id), scaled.type.bytes()});
  }
  return chains;
}

}  // namespace loopglass::fusion
