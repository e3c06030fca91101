// Offsets in one arena for buffers with lifetimes: greedy by size, best fit (Pisarchyk and Lee,
// "Efficient Memory Management for Deep Neural Net Inference", 2020), aligned to 64 bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace loopglass::runtime {

struct LiveRange {
  std::int64_t bytes;
  int first, last;  // positions of execution, inclusive
};
struct MemoryPlan {
  std::vector<std::int64_t> offsets;  // one per range
  std::int64_t arena_bytes = 0;
  std::int64_t lower_bound = 0;  // largest sum of simultaneously live bytes
};
MemoryPlan plan_memory(std::span<const LiveRange> ranges);

}  // namespace loopglass::runtime
