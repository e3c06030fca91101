// The part of a graph that some of its values need: the middle of a history is full of operators
// that nothing uses, which would be compiled, run and timed with the others.
#pragma once

#include "core/session.h"

#include <set>

namespace loopglass::debug {

// In topological order.
std::vector<const graph::Node*> needed_nodes(const graph::Graph& graph,
                                             const std::set<graph::ValueId>& wanted);

// These nodes, which must hold all that they need, with these outputs. Ids are kept.
Result<graph::Graph> subgraph(const graph::Graph& graph,
                              const std::vector<const graph::Node*>& nodes,
                              std::vector<graph::ValueId> outputs);

// What the graph's outputs need.
Result<graph::Graph> live_part(const graph::Graph& graph);

// A toolchain that compiles graphs as they are.
Toolchain without_graph_passes(Toolchain toolchain);
onnx::Model model_of(graph::Graph graph);

}  // namespace loopglass::debug
