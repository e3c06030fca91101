// Membership of a block's nodes in constant time. Blocks are asked about far more often than they
// reach far through the graph: a bit for every position from the first member to the last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace loopglass::fusion {

class MemberSet {
 public:
  // Positions, ascending, at least one; the caller keeps them alive.
  explicit MemberSet(std::span<const std::size_t> nodes)
      : nodes_(nodes), words_((nodes.back() - nodes.front()) / 64 + 1, 0) {
    for (const std::size_t node : nodes) word(node) |= bit(node);
  }

  bool contains(std::size_t node) const {
    if (node < nodes_.front() || node > nodes_.back()) return false;
    return (words_[(node - nodes_.front()) / 64] & bit(node)) != 0;
  }
  // Where a member stands among the members.
  std::size_t index(std::size_t member) const {
    return static_cast<std::size_t>(std::lower_bound(nodes_.begin(), nodes_.end(), member) -
                                    nodes_.begin());
  }
  // Takes in a position between the first member and the last. True: it is new. For marking;
  // `index` knows the first members only.
  bool insert(std::size_t node) {
    if (contains(node)) return false;
    word(node) |= bit(node);
    return true;
  }

 private:
  std::uint64_t& word(std::size_t node) { return words_[(node - nodes_.front()) / 64]; }
  std::uint64_t bit(std::size_t node) const {
    return std::uint64_t{1} << ((node - nodes_.front()) % 64);
  }

  std::span<const std::size_t> nodes_;
  std::vector<std::uint64_t> words_;
};

}  // namespace loopglass::fusion
