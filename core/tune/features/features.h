// A scheduled nest as numbers that a cost model learns from: rows of equal length, one for each
// store or one for all, on a logarithmic scale.
#pragma once

#include "core/tune/features/nest_facts.h"

#include <span>

namespace loopglass::tune {

struct Features {
  std::size_t width = 0;
  std::vector<float> values;  // row after row

  std::size_t rows() const { return width == 0 ? 0 : values.size() / width; }
};

// AutoTVM's: of the store that runs most often, loop by loop from the innermost: extent, level,
// products above and below, kind, arithmetic, and of four buffers stride, count and reuse. One row.
Features loop_features(std::span<const StoreFact> facts);
inline constexpr std::size_t loop_feature_loops = 16, loop_feature_width = loop_feature_loops * 23;

// Ansor's: of each store 57 of what it computes and how its loops are annotated, 18 of each of five
// buffers, 10 of arithmetic intensity along its loops, 4 of what it allocates, 3 of the loops
// around. A row for each store.
Features store_features(std::span<const StoreFact> facts);
inline constexpr std::size_t store_feature_width = 164;

}  // namespace loopglass::tune
