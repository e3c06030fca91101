// Attention's operators: a product, a softmax of each of its rows, and a product that weighs others
// by them. What they hand on is as large as rows and columns together, and far more than a cache
// holds where sequences are long. One kernel computes them in bands of rows
// (default_schedule/row_chain.h), and hands on no more than a band at a time.
#pragma once

#include "core/fusion/pattern_kind.h"
#include "core/graph/graph.h"
#include "core/machine/row_bands.h"

#include <cstdint>
#include <span>
#include <vector>

namespace loopglass::fusion {

// Positions of nodes; none but the next reads what one computes.
struct RowChain {
  std::size_t scores;            // the first product
  std::size_t scaled;            // what the softmax reads: of it, element for element, or itself
  std::size_t softmax, weighed;  // ... and the second product
  HandedOnRows handed_on;
  RowBands bands;  // on the machine that plans go by, whatever runs them

  bool is_worth_bands() const { return bands.verdict == BandsVerdict::Worth; }
  // Of what is handed on each time: what lies there at once.
  std::int64_t band_bytes() const { return bands.most_rows * handed_on.row_bytes; }
};

// All of a graph, however much they hand on, by the position of the softmax.
// `kinds`: of its nodes, by the loops.
std::vector<RowChain> row_chains(const graph::Graph& graph, std::span<const PatternKind> kinds);

}  // namespace loopglass::fusion
