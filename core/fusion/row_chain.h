// Attention's operators: a product, a softmax of each of its rows, and a product that weighs others
// by them. What they hand on is as large as rows and columns together, and far more than a cache
// holds where sequences are long. One kernel computes them in bands of rows
// (default_schedule/row_chain.h), and hands on no more than a band at a time.
#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <vector>

namespace loopglass::fusion {

// Positions of nodes; none but the next reads what one computes.
struct RowChain {
  std::size_t scores;            // the first product
  std::size_t scaled;            // what the softmax reads: of it, element for element, or itself
  std::size_t softmax, weighed;  // ... and the second product
  std::int64_t bytes = 0;        // of what the softmax reads
};

// Of less, all of it stays as near as a band would: four second-level caches of 1 MiB.
constexpr std::int64_t least_bytes_in_bands = 4 << 20;

// All that hand on so much, by the position of the softmax.
std::vector<RowChain> row_chains(const graph::Graph& graph);

}  // namespace loopglass::fusion
