#include "core/runtime/arena.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace loopglass::runtime {
namespace {

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

using Order = std::vector<std::size_t>;

ArenaLayout lay_out_in(const Order& order, std::span<const LiveRange> ranges) {
  ArenaLayout layout;
  layout.offsets.resize(ranges.size());
  std::vector<Placed> placed;
  placed.reserve(ranges.size());
  for (std::size_t index : order) {
    const LiveRange& range = ranges[index];
    std::int64_t bytes = aligned(range.bytes);
    std::int64_t offset = best_fit(placed, bytes, range.first, range.last);
    layout.offsets[index] = offset;
    layout.bytes = std::max(layout.bytes, offset + bytes);
    Placed place{offset, bytes, range.first, range.last};
    auto behind = std::upper_bound(placed.begin(), placed.end(), offset,
                                   [](std::int64_t value, const Placed& other) { return value < other.offset; });
    placed.insert(behind, place);
  }
  return layout;
}

template <class Before>
Order ordered(std::span<const LiveRange> ranges, const Before& before) {
  Order order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return before(ranges[a], ranges[b]); });
  return order;
}

double area(const LiveRange& range) { return static_cast<double>(range.bytes) * (range.last - range.first + 1); }

// Positions from the fullest to the emptiest; at each, what is alive there, largest first.
Order fullest_first(std::span<const LiveRange> ranges, const std::vector<std::int64_t>& live) {
  std::vector<int> positions(live.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](int a, int b) {
    return live[static_cast<std::size_t>(a)] > live[static_cast<std::size_t>(b)];
  });
  std::vector<int> rank(live.size());
  for (std::size_t i = 0; i < positions.size(); ++i) rank[static_cast<std::size_t>(positions[i])] = static_cast<int>(i);
  std::vector<int> best(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i)
    best[i] = *std::min_element(rank.begin() + ranges[i].first, rank.begin() + ranges[i].last + 1);
  Order order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
    return best[a] != best[b] ? best[a] < best[b] : ranges[a].bytes > ranges[b].bytes;
  });
  return order;
}

}  // namespace

std::vector<std::int64_t> live_bytes(std::span<const LiveRange> ranges, std::size_t positions) {
  std::vector<std::int64_t> live(positions + 1, 0);
  for (const LiveRange& range : ranges) {
    live[static_cast<std::size_t>(range.first)] += aligned(range.bytes);
    live[static_cast<std::size_t>(range.last) + 1] -= aligned(range.bytes);
  }
  std::partial_sum(live.begin(), live.end(), live.begin());
  live.pop_back();
  return live;
}

ArenaLayout lay_out(std::span<const LiveRange> ranges) {
  int end = 0;
  for (const LiveRange& range : ranges) end = std::max(end, range.last + 1);
  const std::vector<std::int64_t> live = live_bytes(ranges, static_cast<std::size_t>(end));
  const std::int64_t lower_bound = live.empty() ? 0 : *std::max_element(live.begin(), live.end());

  ArenaLayout best;
  best.bytes = std::numeric_limits<std::int64_t>::max();
  const auto attempt = [&](const Order& order) {
    if (best.bytes == lower_bound) return;
    ArenaLayout layout = lay_out_in(order, ranges);
    if (layout.bytes < best.bytes) best = std::move(layout);
  };
  using Range = LiveRange;
  attempt(ordered(ranges, [](const Range& a, const Range& b) { return a.bytes > b.bytes; }));
  attempt(fullest_first(ranges, live));
  attempt(ordered(ranges, [](const Range& a, const Range& b) { return area(a) > area(b); }));
  attempt(ordered(ranges, [](const Range& a, const Range& b) { return a.last - a.first > b.last - b.first; }));
  attempt(ordered(ranges, [](const Range& a, const Range& b) { return a.first < b.first; }));
  best.lower_bound = lower_bound;
  return best;
}

}  // namespace loopglass::runtime
