// What a search over fusion plans goes through: ideals, and the cheapest way to each.
#pragma once

#include "core/support/hash.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace loopglass::passes {

// A set of units, numbered from the first of the range.
class Ideal {
 public:
  explicit Ideal(std::size_t units) : words_((units + 63) / 64, 0) {}
  bool contains(std::size_t unit) const { return words_[unit / 64] >> (unit % 64) & 1; }
  void insert(std::size_t unit) { words_[unit / 64] |= std::uint64_t{1} << (unit % 64); }
  std::size_t size() const {
    std::size_t size = 0;
    for (const std::uint64_t word : words_) size += static_cast<std::size_t>(std::popcount(word));
    return size;
  }
  friend bool operator==(const Ideal&, const Ideal&) = default;
  struct Hash {
    std::size_t operator()(const Ideal& ideal) const {
      Hasher hasher;
      for (const std::uint64_t word : ideal.words_) hasher.value(word);
      return hasher.digest();
    }
  };

 private:
  std::vector<std::uint64_t> words_;
};

using Block = std::vector<std::size_t>;  // units, ascending

// The cheapest way to an ideal.
struct Way {
  double cost;
  double rest;        // what is left costs at least this
  const Ideal* from;  // null at the beginning
  Block block;        // the last step
  double own = 0;     // what that costs

  double bound() const { return cost + std::max(rest, 0.0); }
};

// Ideals of one size.
using Level = std::unordered_map<Ideal, Way, Ideal::Hash>;

}  // namespace loopglass::passes
