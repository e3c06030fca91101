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

// What has been placed, findable by when it is alive: positions are cut into stretches, and each
// stretch lists what is alive in it.
class Arena {
 public:
  explicit Arena(int positions) : stretches_(static_cast<std::size_t>(positions / stretch + 1)) {}

  void add(const Placed& placed) {
    for (int s = placed.first / stretch; s <= placed.last / stretch; ++s)
      stretches_[static_cast<std::size_t>(s)].push_back(placed);
  }

  // The start of the smallest gap that holds `bytes` between what is alive with [first, last].
  std::int64_t best_fit(std::int64_t bytes, int first, int last) {
    alive_.clear();
    for (int s = first / stretch; s <= last / stretch; ++s)
      for (const Placed& other : stretches_[static_cast<std::size_t>(s)])
        // Each once: in the first stretch that both live in.
        if (other.first <= last && first <= other.last &&
            s == std::max(first, other.first) / stretch)
          alive_.push_back(other);
    std::sort(alive_.begin(), alive_.end(),
              [](const Placed& a, const Placed& b) { return a.offset < b.offset; });
    std::int64_t end_of_previous = 0, best = -1,
                 smallest = std::numeric_limits<std::int64_t>::max();
    for (const Placed& other : alive_) {
      const std::int64_t gap = other.offset - end_of_previous;
      if (gap >= bytes && gap < smallest) {
        smallest = gap;
        best = end_of_previous;
      }
      end_of_previous = std::max(end_of_previous, other.offset + other.bytes);
    }
    return best >= 0 ? best : end_of_previous;
  }

 private:
  static constexpr int stretch = 16;
  std::vector<std::vector<Placed>> stretches_;
  std::vector<Placed> alive_;  // here to keep its memory
};

using Order = std::vector<std::size_t>;

ArenaLayout lay_out_in(const Order& order, std::span<const LiveRange> ranges, int positions) {
  ArenaLayout layout;
  layout.offsets.resize(ranges.size());
  Arena arena(positions);
  for (const std::size_t index : order) {
    const LiveRange& range = ranges[index];
    const std::int64_t bytes = aligned(range.bytes);
    const std::int64_t offset = arena.best_fit(bytes, range.first, range.last);
    layout.offsets[index] = offset;
    layout.bytes = std::max(layout.bytes, offset + bytes);
    arena.add({offset, bytes, range.first, range.last});
  }
  return layout;
}

template <class Before>
Order ordered(std::span<const LiveRange> ranges, const Before& before) {
  Order order(ranges.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return before(ranges[a], ranges[b]); });
  return order;
}

double area(const LiveRange& range) {
  return static_cast<double>(range.bytes) * (range.last - range.first + 1);
}

// Positions from the fullest to the emptiest; at each, what is alive there, largest first.
Order fullest_first(std::span<const LiveRange> ranges, const std::vector<std::int64_t>& live) {
  std::vector<int> positions(live.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](int a, int b) {
    return live[static_cast<std::size_t>(a)] > live[static_cast<std::size_t>(b)];
  });
  std::vector<int> rank(live.size());
  for (std::size_t i = 0; i < positions.size(); ++i)
    rank[static_cast<std::size_t>(positions[i])] = static_cast<int>(i);
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
    ArenaLayout layout = lay_out_in(order, ranges, end);
    if (layout.bytes < best.bytes) best = std::move(layout);
  };
  using Range = LiveRange;
  attempt(ordered(ranges, [](const Range& a, const Range& b) { return a.bytes > b.bytes; }));
  attempt(fullest_first(ranges, live));
  attempt(ordered(ranges, [](const Range& a, const Range& b) { return area(a) > area(b); }));
  attempt(ordered(
      ranges, [](const Range& a, const Range& b) { return a.last - a.first > b.last - b.first; }));
  attempt(ordered(ranges, [](const Range& a, const Range& b) { return a.first < b.first; }));
  best.lower_bound = lower_bound;
  return best;
}

}  // namespace loopglass::runtime
