// Seeded random graphs that look like networks: convolutions with their batch norms, matrix
// products, elementwise chains with telling constants (0, 1, 2, ...), moved and cut and joined
// tensors, twins, shapes as data, recurrent layers, images sampled and resized, quantised
// convolutions and products, dead ends. Valid by construction, and small enough to interpret.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::test {

struct RandomNetwork {
  int operators = 10;
  DataType type = DataType::Float64;  // in which regrouped sums differ by next to nothing
  // Comparisons, rounding, arg max: a last digit can make their results jump, so graphs for passes
  // that reassociate do without.
  bool jumps = true;
};

graph::Graph random_network(std::uint32_t seed, const RandomNetwork& options = {});

}  // namespace loopglass::test
