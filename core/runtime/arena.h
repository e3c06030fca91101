// Offsets in one arena for buffers with lifetimes, aligned to 64 bytes: best fit, greedy in several
// orders, of which the best result counts (Pisarchyk and Lee, "Efficient Memory Management for Deep
// Neural Net Inference", 2020).
#pragma once

#include "core/tensor/tensor.h"

#include <cstdint>
#include <span>
#include <vector>

namespace loopglass::runtime {

struct LiveRange {
  std::int64_t bytes;
  int first, last;  // positions of execution, inclusive
};

struct ArenaLayout {
  std::vector<std::int64_t> offsets;  // one per range
  std::int64_t bytes = 0;
  std::int64_t lower_bound = 0;  // largest sum of simultaneously live bytes: no layout needs less
};
ArenaLayout lay_out(std::span<const LiveRange> ranges);

inline constexpr std::int64_t arena_alignment = Tensor::alignment;
inline std::int64_t aligned(std::int64_t bytes) {
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment;
}

// Bytes live at each of `positions` positions, each range rounded up to the alignment.
std::vector<std::int64_t> live_bytes(std::span<const LiveRange> ranges, std::size_t positions);

}  // namespace loopglass::runtime
