// Operators that search (TopK, ScatterElements, ScatterND), drawn at random with what is awkward
// for them: equal elements, NaNs and infinities, indices counted from the end, named twice, or
// outside.
#pragma once

#include "core/graph/graph.h"

#include <random>

namespace loopglass::test {

struct DrawnSearch {
  graph::Graph graph;
  std::vector<Tensor> inputs;
};

DrawnSearch draw_top_k(std::mt19937& random);
DrawnSearch draw_scatter_elements(std::mt19937& random);
DrawnSearch draw_scatter_nd(std::mt19937& random);

}  // namespace loopglass::test
