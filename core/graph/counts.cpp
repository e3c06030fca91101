#include "core/graph/counts.h"

#include "core/graph/likeness.h"
#include "core/graph/program.h"
#include "core/te/flops.h"

#include <algorithm>
#include <set>

namespace loopglass::graph {

std::optional<std::int64_t> flops(const Graph& graph, const Node& node) {
  const auto program = program_of(graph, node);
  if (!program) return std::nullopt;
  return te::flops(*program);
}

Counts count(const Graph& graph) {
  Counts counts;
  std::unordered_map<std::uint64_t, std::int64_t> known;
  counts.nodes = std::ssize(graph.nodes());
  for (const NodePtr& node : graph.nodes()) {
    ++counts.operators[operator_name(*node)];
    const auto [entry, is_new] = known.try_emplace(likeness(graph, *node));
    if (is_new) entry->second = flops(graph, *node).value_or(0);
    counts.flops += entry->second;
    for (const ValueId output : node->outputs)
      if (!graph.is_output(output)) counts.intermediate_bytes += graph.value(output).type.bytes();
  }
  for (const ValuePtr& value : graph.values()) {
    if (!value->is_constant() || (graph.uses(value->id).empty() && !graph.is_output(value->id)))
      continue;
    counts.parameter_bytes += value->type.bytes();
    counts.parameters += element_count(value->type.shape);
  }
  return counts;
}

std::vector<CountRow> compare(const Counts& before, const Counts& after) {
  std::vector<CountRow> rows{
      {"operators", before.nodes, after.nodes},
      {"FLOP", before.flops, after.flops},
      {"intermediate bytes", before.intermediate_bytes, after.intermediate_bytes},
      {"parameter bytes", before.parameter_bytes, after.parameter_bytes},
      {"elements of constants", before.parameters, after.parameters},
  };
  std::map<std::string, CountRow> kinds;
  for (const auto& [name, number] : before.operators) kinds[name] = {name, number, 0, true};
  for (const auto& [name, number] : after.operators) {
    CountRow& row = kinds[name];
    row.name = name;
    row.after = number;
    row.per_operator = true;
  }
  for (auto& [name, row] : kinds) rows.push_back(std::move(row));
  return rows;
}

}  // namespace loopglass::graph
