// What a graph amounts to, in numbers: operators of each kind, arithmetic, bytes.
#pragma once

#include "core/graph/graph.h"

#include <map>
#include <optional>

namespace loopglass::graph {

// Arithmetic operations of a node (te::flops); nothing where its operator cannot be computed.
std::optional<std::int64_t> flops(const Graph& graph, const Node& node);

struct Counts {
  std::map<std::string, std::int64_t> operators;  // by kind
  std::int64_t nodes = 0;
  std::int64_t flops = 0;
  std::int64_t intermediate_bytes = 0;  // results of nodes that are no graph outputs
  std::int64_t parameter_bytes = 0;     // constants that are used
  std::int64_t parameters = 0;          // elements of those
};
Counts count(const Graph& graph);

// A row of a table that compares two graphs.
struct CountRow {
  // "operators", "FLOP", "intermediate bytes", "parameter bytes", or an operator.
  std::string name;
  std::int64_t before = 0, after = 0;
  bool per_operator = false;
  std::int64_t delta() const { return after - before; }
};
// Totals first, then the kinds of operators by name.
std::vector<CountRow> compare(const Counts& before, const Counts& after);

}  // namespace loopglass::graph
