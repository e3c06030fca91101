// Tensors for a graph's inputs, in their order: the same for the same seed, another for every
// input.
#pragma once

#include "core/runtime/executor.h"

namespace loopglass::test {

inline std::vector<Tensor> random_inputs(const graph::Graph& graph, std::uint64_t seed = 1) {
  std::vector<Tensor> inputs;
  for (const graph::ValueId input : graph.inputs())
    inputs.push_back(runtime::random_tensor(graph.value(input).type, seed + inputs.size()));
  return inputs;
}

}  // namespace loopglass::test
