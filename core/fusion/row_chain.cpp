#include "core/fusion/row_chain.h"

#include "core/ops/support.h"

#include <algorithm>
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
std::optional<graph::NodeId> product_behind(const graph::Graph& graph,
                                            std::span<const PatternKind> kinds,
                                            graph::ValueId value) {
  for (int step = 0; step < most_steps; ++step) {
    const graph::NodeId producer = graph.value(value).producer;
    if (!producer || only_reader(graph, value) == nullptr) return std::nullopt;
    const graph::Node& node = graph.node(producer);
    if (is(node, "MatMul")) return producer;
    if (node.outputs.size() != 1 || kinds[graph.position(producer)] > PatternKind::Broadcast)
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

HandedOnRows handed_on_by(const graph::Graph& graph, const TensorType& scores,
                          graph::NodeId product, const graph::Node& weighed) {
  HandedOnRows handed_on;
  const std::size_t rank = scores.shape.size();
  handed_on.rows = std::max<std::int64_t>(scores.shape[rank - 2], 1);
  handed_on.row_bytes = scores.shape.back() * static_cast<std::int64_t>(byte_size(scores.type));
  handed_on.images =
      std::max<std::int64_t>(element_count({scores.shape.begin(), scores.shape.end() - 2}), 1);
  const auto of_image = [&](const graph::Node& node) {
    const TensorType& type = graph.value(node.inputs[1]).type;
    const std::size_t own_rank = type.shape.size();
    const std::int64_t images =
        own_rank < 2
            ? 1
            : std::max<std::int64_t>(element_count({type.shape.begin(), type.shape.end() - 2}), 1);
    return type.bytes() / images;
  };
  handed_on.first_operand_bytes = of_image(graph.node(product));
  handed_on.second_operand_bytes = of_image(weighed);
  return handed_on;
}

}  // namespace

std::vector<RowChain> row_chains(const graph::Graph& graph, std::span<const PatternKind> kinds) {
  std::vector<RowChain> chains;
  for (std::size_t position = 0; position < graph.nodes().size(); ++position) {
    const graph::Node& softmax = *graph.nodes()[position];
    if (!is(softmax, "Softmax")) continue;
    const graph::Value& scaled = graph.value(softmax.inputs.front());
    if (!is_of_rows(softmax, scaled.type)) continue;
    const graph::Node* weighed = only_reader(graph, softmax.outputs.front());
    if (weighed == nullptr || !is(*weighed, "MatMul") ||
        weighed->inputs[0] != softmax.outputs.front() ||
        graph.value(weighed->inputs[1]).type.shape.size() < 2)
      continue;
    const auto scores = product_behind(graph, kinds, scaled.id);
    if (!scores) continue;
    RowChain chain{graph.position(*scores),
                   graph.position(scaled.producer),
                   position,
                   graph.position(weighed->id),
                   handed_on_by(graph, scaled.type, *scores, *weighed),
                   {}};
    chain.bands = row_bands(chain.handed_on, reference_machine());
    chains.push_back(std::move(chain));
  }
  return chains;
}

}  // namespace loopglass::fusion
