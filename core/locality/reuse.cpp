#include "core/locality/reuse.h"

#include "core/locality/too_large.h"
#include "core/loop/buffers.h"
#include "core/loop/watched_run.h"

#include <fmt/format.h>

#include <bit>
#include <unordered_map>

namespace loopglass::locality {
namespace {

// How many of the times that are marked lie behind a time.
class Marks {
 public:
  explicit Marks(std::int64_t times) : sums_(static_cast<std::size_t>(times) + 1) {}
  void add(std::int64_t time, int count) {
    total_ += count;
    for (auto at = static_cast<std::size_t>(time) + 1; at < sums_.size(); at += at & -at)
      sums_[at] += count;
  }
  std::int64_t behind(std::int64_t time) const {
    std::int64_t up_to = 0;
    for (auto at = static_cast<std::size_t>(time) + 1; at > 0; at -= at & -at) up_to += sums_[at];
    return total_ - up_to;
  }

 private:
  std::vector<std::int32_t> sums_;
  std::int64_t total_ = 0;
};

class Counting {
 public:
  Counting(const loop::Func& func, const loop::WatchedRun& run, const Machine& machine,
           std::int64_t most_accesses)
      : marks_(most_accesses) {
    reuse_.levels = levels_of(machine);
    for (const loop::Buffer& buffer : loop::buffers_of(func)) {
      if (buffer.scope == loop::Scope::Register) continue;
      const auto size = static_cast<std::int64_t>(byte_size(buffer.type));
      known_[buffer.name] = {reuse_.buffers.size(), size};
      reuse_.buffers.push_back({buffer.name,
                                *checked_element_count(run.shape(buffer.name)) * size,
                                0,
                                0,
                                {},
                                std::vector<std::int64_t>(reuse_.levels.size())});
    }
  }

  void use(const loop::AccessEvent& event) {
    const auto found = known_.find(event.buffer);
    if (found == known_.end()) return;
    const auto [index, size] = found->second;
    BufferReuse& buffer = reuse_.buffers[index];
    const std::int64_t line = event.element * size / line_bytes;
    const std::int64_t now = reuse_.accesses++;
    ++buffer.accesses;
    const auto [place, is_first] =
        last_use_.try_emplace(static_cast<std::uint64_t>(line) * known_.size() + index, now);
    if (is_first) {
      ++buffer.lines;
      for (std::int64_t& misses : buffer.misses) ++misses;
    } else {
      const std::int64_t distance = marks_.behind(place->second);
      count(buffer, distance);
      marks_.add(place->second, -1);
      place->second = now;
    }
    marks_.add(now, 1);
  }

  Reuse result(bool whole) && {
    reuse_.whole = whole;
    return std::move(reuse_);
  }

 private:
  void count(BufferReuse& buffer, std::int64_t distance) {
    const auto kind =
        static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(distance)));
    if (buffer.distances.size() <= kind) buffer.distances.resize(kind + 1);
    ++buffer.distances[kind];
    for (std::size_t k = 0; k < reuse_.levels.size(); ++k)
      if (distance >= reuse_.levels[k].bytes / line_bytes) ++buffer.misses[k];
  }

  struct Known {
    std::size_t index;
    std::int64_t element_bytes;
  };
  std::unordered_map<std::string, Known> known_;
  std::unordered_map<std::uint64_t, std::int64_t> last_use_;  // by line and buffer
  Marks marks_;
  Reuse reuse_;
};

}  // namespace

std::string distance_words(std::size_t kind) {
  if (kind < 2) return fmt::to_string(kind);
  const std::int64_t from = std::int64_t{1} << (kind - 1);
  return fmt::format("{}-{}", from, 2 * from - 1);
}

std::vector<Level> levels_of(const Machine& machine) {
  return {{"L1", machine.l1.bytes}, {"L2", machine.l2.bytes}, {"L3", machine.l3.bytes}};
}

Result<Reuse> reuse_of(const loop::Func& func, const std::map<std::string, std::int64_t>& symbols,
                       const Machine& machine, std::int64_t most_accesses, const Progress& progress,
                       const Cancellation& cancellation) {
  const loop::WatchedRun run(func, symbols, most_accesses);
  if (!run.can_run()) return std::unexpected(too_large(func));
  Counting counting(func, run, machine, most_accesses);
  constexpr std::int64_t look_up_each = 1 << 16;
  const bool whole = run([&](const loop::AccessEvent& event, std::int64_t number) {
    if (number % look_up_each == 0) {
      if (cancellation.requested()) throw loop::WatchedRun::Enough{};
      if (progress)
        progress("following accesses",
                 static_cast<double>(number) / static_cast<double>(most_accesses));
    }
    counting.use(event);
  });
  if (cancellation.requested()) return fail(Code::Cancelled, "following accesses was cancelled");
  return std::move(counting).result(whole);
}

}  // namespace loopglass::locality
