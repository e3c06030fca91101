// Runs a graph operator by operator through the reference interpreter: what the network means, with
// no fusion, schedule or machine code in the way.
#pragma once

#include "core/graph/graph.h"
#include "core/support/cancellation.h"

#include <map>
#include <span>

namespace loopglass::loop {

// Every value of the graph by id, constants and inputs included. Inputs in the graph's order;
// InputMismatch when their types are not the graph's.
Result<std::map<graph::ValueId, Tensor>> interpret_values(const graph::Graph& graph,
                                                          std::span<const Tensor> inputs,
                                                          const Cancellation& cancellation = {});
// The graph's outputs only; intermediates are let go as soon as nothing needs them.
Result<std::vector<Tensor>> interpret(const graph::Graph& graph, std::span<const Tensor> inputs,
                                      const Cancellation& cancellation = {});

}  // namespace loopglass::loop
