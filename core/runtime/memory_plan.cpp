#include "core/runtime/memory_plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace loopglass::runtime {
namespace {

constexpr std::int64_t alignment = 64;

std::int64_t round_up(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

struct Placed {
  std::int64_t offset, bytes;
  int first, last;
};

// The start of the smallest gap that holds `bytes` between the placed ranges alive with [first, last];
// `placed` is in offset order.
std::int64_t best_fit(const std::vector<Placed>& placed, std::int64_t bytes, int first, int last) {
  std::int64_t end_of_previous = 0, best = -1, smallest = std::numeric_limits<std::int64_t>::max();
  for (const Placed& other : placed) {
    if (other.last < first || last < other.first) continue;
    std::int64_t gap = other.offset - end_of_previous;
    if (gap >= bytes && gap < smallest) {
      smallest = gap;
      best = end_of_previous;
    }
    end_of_previous = std::max(end_of_previous, other.offset + other.bytes);
  }
  return best >= 0 ? best : end_of_previous;
}

std::int64_t largest_live_sum(std::span<const LiveRange> ranges) {
  std::map<int, std::int64_t> change;
  for (const LiveRange& range : ranges) {
    change[range.first] += round_up(range.bytes);
    change[range.last + 1] -= round_up(range.bytes);
  }
  std::int64_t live = 0, largest = 0;
  for (const auto& [position, delta] : change) largest = std::max(largest, live += delta);
  return largest;
}

}  // namespace

MemoryPlan plan_memory(std::span<const LiveRange> ranges) {
  MemoryPlan plan;
  plan.offsets.resize(ranges.size());
  std::vector<std::size_t> order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return ranges[a].bytes > ranges[b].bytes; });
  std::vector<Placed> placed;
  placed.reserve(ranges.size());
  for (std::size_t index : order) {
    const LiveRange& range = ranges[index];
    std::int64_t bytes = round_up(range.bytes);
    std::int64_t offset = best_fit(placed, bytes, range.first, range.last);
    plan.offsets[index] = offset;
    plan.arena_bytes = std::max(plan.arena_bytes, offset + bytes);
    Placed place{offset, bytes, range.first, range.last};
    auto behind = std::upper_bound(placed.begin(), placed.end(), offset,
                                   [](std::int64_t value, const Placed& other) { return value < other.offset; });
    placed.insert(behind, place);
  }
  plan.lower_bound = largest_live_sum(ranges);
  return plan;
}

}  // namespace loopglass::runtime
