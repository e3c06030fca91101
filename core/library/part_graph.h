// Some operators of a graph, as a graph of their own.
#pragma once

#include "core/graph/graph.h"

#include <vector>

namespace loopglass::library {

struct PartGraph {
  graph::Graph graph;
  // What its inputs and outputs are in the whole graph, in their order.
  std::vector<graph::ValueId> inputs, outputs;
};

// `nodes` in the whole graph's order; `outputs` are results of theirs. Values keep their names.
Result<PartGraph> part_graph(const graph::Graph& whole, const std::vector<graph::NodeId>& nodes,
                             std::vector<graph::ValueId> outputs);

}  // namespace loopglass::library
