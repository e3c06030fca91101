#include "core/graph/acyclic_pieces.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace loopglass::graph {
namespace {

using Reads = std::vector<std::vector<std::uint32_t>>;

// Strongly connected components (Tarjan, 1972), with a stack of its own: parts can be many.
class Components {
 public:
  explicit Components(const Reads& reads)
      : reads_(reads), component_(reads.size(), -1), index_(reads.size(), -1), low_(reads.size()) {
    for (std::uint32_t point = 0; point < reads.size(); ++point)
      if (index_[point] < 0) visit(point);
  }

  int of(std::uint32_t point) const { return component_[point]; }
  bool is_cycle(int component) const { return sizes_[static_cast<std::size_t>(component)] > 1; }

 private:
  struct Visit {
    std::uint32_t point;
    std::size_t next;  // of what it reads
  };

  void enter(std::uint32_t point) {
    index_[point] = low_[point] = entered_++;
    open_.push_back(point);
    visits_.push_back({point, 0});
  }

  void visit(std::uint32_t first) {
    enter(first);
    while (!visits_.empty()) {
      auto& [point, next] = visits_.back();
      if (next < reads_[point].size()) {
        const std::uint32_t other = reads_[point][next++];
        if (index_[other] < 0) enter(other);
        else if (component_[other] < 0) low_[point] = std::min(low_[point], index_[other]);
        continue;
      }
      const std::uint32_t done = point;
      visits_.pop_back();
      if (!visits_.empty())
        low_[visits_.back().point] = std::min(low_[visits_.back().point], low_[done]);
      if (low_[done] == index_[done]) close(done);
    }
  }

  void close(std::uint32_t root) {
    sizes_.push_back(0);
    std::uint32_t point = root;
    do {
      point = open_.back();
      open_.pop_back();
      component_[point] = static_cast<int>(sizes_.size()) - 1;
      ++sizes_.back();
    } while (point != root);
  }

  const Reads& reads_;
  std::vector<int> component_, index_, low_, sizes_;
  std::vector<std::uint32_t> open_;
  std::vector<Visit> visits_;
  int entered_ = 0;
};

}  // namespace

std::vector<int> acyclic_pieces(const Reads& reads, const std::vector<int>& part) {
  // A point for every part, and for every element that is by itself.
  std::vector<std::uint32_t> point(reads.size());
  std::unordered_map<int, std::uint32_t> point_of_part;
  std::uint32_t points = 0;
  for (std::size_t i = 0; i < reads.size(); ++i)
    point[i] = part[i] < 0                                         ? points++
               : point_of_part.try_emplace(part[i], points).second ? points++
                                                                   : point_of_part.at(part[i]);
  Reads between(points);
  for (std::size_t i = 0; i < reads.size(); ++i)
    for (const std::uint32_t read : reads[i])
      if (point[read] != point[i]) between[point[i]].push_back(point[read]);
  const Components components(between);
  // Along every edge of a cycle's elements the stage stays or grows, and it grows between two
  // parts: so elements of one part at one stage cannot be on a cycle with anything else.
  std::vector<int> stage(reads.size(), 0);
  std::map<std::pair<std::uint32_t, int>, int> pieces;
  std::vector<int> piece(reads.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const int component = components.of(point[i]);
    if (components.is_cycle(component))
      for (const std::uint32_t read : reads[i])
        if (components.of(point[read]) == component)
          stage[i] = std::max(stage[i], stage[read] + (point[read] != point[i] ? 1 : 0));
    piece[i] =
        pieces.try_emplace({point[i], stage[i]}, static_cast<int>(pieces.size())).first->second;
  }
  return piece;
}

}  // namespace loopglass::graph
