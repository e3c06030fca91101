// Which of many merges brought two members together: a union-find that never shortens its ways, so
// that each link still tells of the merge that made it. Ways are as long as the logarithm of the
// group, because the smaller group goes under the larger one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <vector>

namespace loopglass::fusion {

class JoinHistory {
 public:
  explicit JoinHistory(std::size_t members) : above_(members), merge_(members), size_(members, 1) {
    std::iota(above_.begin(), above_.end(), 0);
  }

  // Merges are numbered in ascending order; what is together already stays so.
  void join(std::size_t a, std::size_t b, std::size_t merge) {
    a = root(a);
    b = root(b);
    if (a == b) return;
    if (size_[a] < size_[b]) std::swap(a, b);
    above_[b] = a;
    merge_[b] = merge;
    size_[a] += size_[b];
  }

  // The merge since which the two are together; none: they are not. What stands higher was linked
  // later, so the last link on the way between the two is one of those just below where they meet.
  std::optional<std::size_t> joined_by(std::size_t a, std::size_t b) const {
    std::vector<std::size_t> way{a};
    while (above_[way.back()] != way.back()) way.push_back(above_[way.back()]);
    std::size_t youngest = 0;
    auto meeting = std::find(way.begin(), way.end(), b);
    while (meeting == way.end()) {
      if (above_[b] == b) return std::nullopt;
      youngest = std::max(youngest, merge_[b]);
      b = above_[b];
      meeting = std::find(way.begin(), way.end(), b);
    }
    for (auto below = way.begin(); below != meeting; ++below)
      youngest = std::max(youngest, merge_[*below]);
    return youngest;
  }

 private:
  std::size_t root(std::size_t member) const {
    while (above_[member] != member) member = above_[member];
    return member;
  }

  std::vector<std::size_t> above_, merge_, size_;
};

}  // namespace loopglass::fusion
