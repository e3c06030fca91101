#include "core/fusion/cost_model.h"

#include "core/support/hash.h"

#include <algorithm>
#include <set>

namespace loopglass::fusion {

namespace {

double microseconds(double gigas, double per_second) { return gigas / per_second * 1e6; }

double efficiency(const MachineConstants& machine, const graph::Node& node, PatternKind kind) {
  if (node.op->family == ops::Family::Convolution) return machine.convolution_efficiency;
  if (node.op->family == ops::Family::MatrixProduct) return machine.matrix_efficiency;
  return kind >= PatternKind::CommReduce ? machine.reduction_efficiency : machine.elementwise_efficiency;
}

// Of the level that all of it fits into.
double bandwidth(const MachineConstants& machine, double bytes) {
  for (const auto* level : {&machine.l1, &machine.l2, &machine.l3})
    if (bytes <= static_cast<double>(level->bytes)) return level->gigabytes_per_second;
  return machine.memory_gigabytes_per_second;
}

// What a block reads and writes.
struct Traffic {
  double outside = 0;  // bytes of tensors that come in or go out, each once
  double strided = 0;  // of those, what is read in jumps
};

Traffic traffic_of(const BlockRules& rules, std::span<const std::size_t> nodes) {
  const graph::Graph& graph = rules.graph();
  const auto inside = [&](graph::NodeId id) { return id && std::binary_search(nodes.begin(), nodes.end(), graph.position(id)); };
  Traffic traffic;
  std::set<graph::ValueId> read;
  const bool has_anchor = rules.anchors(nodes) > 0;
  for (const std::size_t position : nodes) {
    const graph::Node& node = *graph.nodes()[position];
    for (const graph::ValueId input : node.inputs) {
      if (!input || inside(graph.value(input).producer) || !read.insert(input).second) continue;
      const double bytes = static_cast<double>(graph.value(input).type.bytes());
      traffic.outside += bytes;
      // Reads of a transposed operand in a reduction's inner loop jump.
      if (has_anchor && rules.mapping(position) == MappingType::Shuffle) traffic.strided += bytes;
    }
    for (const graph::ValueId output : node.outputs) {
      const auto& uses = graph.uses(output);
      const bool escapes = graph.is_output(output) ||
                           std::any_of(uses.begin(), uses.end(), [&](const auto& use) { return !inside(use.node); });
      if (escapes) traffic.outside += static_cast<double>(graph.value(output).type.bytes());
    }
  }
  return traffic;
}

}  // namespace

double CostModel::arithmetic(const BlockRules& rules, std::size_t node) const {
  const double speed = constants_.peak_gflops * efficiency(constants_, *rules.graph().nodes()[node], rules.kind(node));
  return microseconds(static_cast<double>(rules.flops(node)) * 1e-9, speed);
}

Cost CostModel::cost(const BlockRules& rules, std::span<const std::size_t> nodes) const {
  const graph::Graph& graph = rules.graph();
  Cost cost;
  if (!measured_.empty())
    if (const auto known = measured_.find(structural_hash(graph, nodes)); known != measured_.end()) {
      cost.measured = true;
      cost.total = known->second;
      return cost;
    }
  for (const std::size_t position : nodes) {
    const double own = arithmetic(rules, position);
    cost.compute += own;
    // A result that a later member reads many times is computed as often, or kept aside: whichever is
    // cheaper.
    const graph::Node& node = *graph.nodes()[position];
    for (const graph::ValueId output : node.outputs) {
      const graph::Value& value = graph.value(output);
      double again = 0;
      for (const graph::Graph::Use& use : graph.uses(output)) {
        const std::size_t reader = graph.position(use.node);
        if (!std::binary_search(nodes.begin(), nodes.end(), reader) || rules.mapping(reader) < MappingType::OneToMany) continue;
        const auto& result = graph.value(graph.node(use.node).outputs.front()).type;
        const double repeats = static_cast<double>(element_count(result.shape)) /
                               static_cast<double>(std::max<std::int64_t>(element_count(value.type.shape), 1));
        const double kept = microseconds(2e-9 * static_cast<double>(value.type.bytes()),
                                         bandwidth(constants_, static_cast<double>(value.type.bytes())));
        const double recomputed =
            rules.mapping(reader) == MappingType::ManyToMany ? kept : own * std::max(repeats - 1, 0.0);
        again = std::max(again, std::min(kept, recomputed));
      }
      cost.compute += again;
    }
  }
  const Traffic traffic = traffic_of(rules, nodes);
  const double bytes = traffic.outside + traffic.strided * (constants_.strided_penalty - 1);
  cost.memory = microseconds(bytes * 1e-9, bandwidth(constants_, traffic.outside));
  cost.launch = constants_.launch_microseconds;
  cost.total = std::max(cost.compute, cost.memory) + cost.launch;
  return cost;
}

std::uint64_t CostModel::structural_hash(const graph::Graph& graph, std::span<const std::size_t> nodes) {
  Hasher hasher;
  std::map<graph::ValueId, std::size_t> numbered;  // in order of appearance, so that names do not count
  const auto number = [&](graph::ValueId id) {
    const auto [known, fresh] = numbered.emplace(id, numbered.size());
    hasher.value(known->second);
    if (!fresh) return;
    const TensorType& type = graph.value(id).type;
    hasher.value(type.type).value(type.shape.size()).value(graph.value(id).is_constant());
    for (const std::int64_t extent : type.shape) hasher.value(extent);
  };
  for (const std::size_t position : nodes) {
    const graph::Node& node = *graph.nodes()[position];
    hasher.text(node.op->name).value(node.inputs.size()).value(node.outputs.size());
    for (const auto& [key, attribute] : node.attributes.all()) {
      hasher.text(key);
      if (const auto* tensor = std::get_if<Tensor>(&attribute)) hasher.value(tensor->content_hash());
      else hasher.text(ops::to_string(attribute));
    }
    for (const graph::ValueId input : node.inputs)
      if (input) number(input);
    for (const graph::ValueId output : node.outputs) {
      number(output);
      // What escapes must be written.
      const auto& uses = graph.uses(output);
      const bool escapes = graph.is_output(output) || std::any_of(uses.begin(), uses.end(), [&](const auto& use) {
        return !std::binary_search(nodes.begin(), nodes.end(), graph.position(use.node));
      });
      hasher.value(escapes);
    }
  }
  return hasher.digest();
}

}  // namespace loopglass::fusion
