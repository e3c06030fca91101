#include "passes/fusion/units.h"

#include "core/fusion/partition.h"
#include "core/fusion/partition_builder.h"
#include "core/fusion/pieces.h"

#include <algorithm>
#include <numeric>

namespace loopglass::passes {

namespace {

using fusion::MappingType;

// The reader that a node goes with, if it does.
std::optional<std::size_t> inseparable_reader(const fusion::BlockRules& rules, std::size_t node) {
  const graph::Graph& graph = rules.graph();
  const graph::Node& producer = *graph.nodes()[node];
  if (rules.mapping(node) != MappingType::OneToOne || producer.outputs.size() != 1)
    return std::nullopt;
  const graph::ValueId value = producer.outputs.front();
  if (graph.is_output(value) || rules.successors(node).size() != 1) return std::nullopt;
  const std::size_t reader = rules.successors(node).front();
  const graph::Node& consumer = *graph.nodes()[reader];
  const bool same_shape =
      consumer.outputs.size() == 1 &&
      graph.value(consumer.outputs.front()).type.shape == graph.value(value).type.shape;
  if (rules.mapping(reader) != MappingType::OneToOne || !same_shape) return std::nullopt;
  return reader;
}

}  // namespace

Result<Units> make_units(const fusion::BlockRules& rules, const fusion::Constraints& constraints,
                         bool contract) {
  const std::size_t nodes = rules.graph().nodes().size();
  fusion::PartitionBuilder partition(rules);
  TRY_VOID(partition.force(constraints));
  for (std::size_t node = 0; contract && node < nodes; ++node) {
    const auto reader = inseparable_reader(rules, node);
    if (!reader) continue;
    const std::size_t a = partition.block_of(node), b = partition.block_of(*reader);
    if (a != b && !partition.is_forbidden(a, b, constraints) && !partition.refuse(a, b))
      partition.merge(a, b);
  }
  // Kahn's algorithm over the blocks, first nodes first.
  const fusion::Plan order =
      TRY(fusion::plan_of_partition(rules.graph(), {}, partition.blocks(), rules.kinds()));
  Units units;
  units.unit_of.resize(nodes);
  for (const fusion::Group& group : order.groups) {
    std::vector<std::size_t> members = fusion::positions(rules.graph(), group);
    for (const std::size_t node : members) units.unit_of[node] = units.count();
    units.members.push_back(std::move(members));
  }
  units.successors.resize(units.count());
  units.predecessors.resize(units.count());
  for (std::size_t node = 0; node < nodes; ++node)
    for (const std::size_t reader : rules.successors(node)) {
      const std::size_t from = units.unit_of[node], to = units.unit_of[reader];
      if (from == to) continue;
      units.successors[from].push_back(to);
      units.predecessors[to].push_back(from);
    }
  for (auto* edges : {&units.successors, &units.predecessors})
    for (std::vector<std::size_t>& list : *edges) {
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    }
  return units;
}

std::vector<std::size_t> Units::nodes_of(const std::vector<std::size_t>& units) const {
  std::vector<std::size_t> nodes;
  for (const std::size_t unit : units)
    nodes.insert(nodes.end(), members[unit].begin(), members[unit].end());
  // Units of one operator each, as most are, come in their order.
  if (!std::is_sorted(nodes.begin(), nodes.end())) std::sort(nodes.begin(), nodes.end());
  return nodes;
}

}  // namespace loopglass::passes
