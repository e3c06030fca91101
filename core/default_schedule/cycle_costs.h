// Costs in cycles of a core with two vector multiply-adds, two loads and one store a cycle, by
// which tile_plan and lane_plan count; only their proportions matter. What it takes from beyond the
// first cache is the machine's.
#pragma once

#include <cstdint>

namespace loopglass::schedule {

constexpr double gathered_element = 3.0;   // measured on rows of a softmax: loads one by one win
constexpr double operation_latency = 4.0;  // of a multiply-add: as many independent ones are needed
constexpr double overlap_loss = 0.1;       // of loads that hide behind arithmetic
constexpr double third_cache = 2.0;        // as many bytes take so many times as from the second
constexpr std::int64_t line_bytes = 64;    // of a cache

// Loading `vectors` vectors of `lanes` elements that lie `step` apart in memory (0: irregularly).
constexpr double vector_loads(double step, double vectors, double lanes) {
  return step == 1               ? vectors
         : step > 1 && step <= 4 ? vectors * (step + 1)
                                 : vectors * lanes * gathered_element;
}

}  // namespace loopglass::schedule
