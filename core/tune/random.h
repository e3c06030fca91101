// Random numbers of a search: the same from the same seed, everywhere.
#pragma once

#include "core/support/split_mix.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace loopglass::tune {

class Random {
 public:
  explicit Random(std::uint64_t seed) : numbers_(seed) {}

  // In [0, 1).
  double uniform() { return static_cast<double>(numbers_.next() >> 11) * 0x1p-53; }
  // In [0, count); count >= 1.
  std::size_t below(std::size_t count) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(count));
  }
  // Mean 0, deviation 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  // A position, as likely as its weight is; weights >= 0, not all of them 0.
  std::size_t weighted(const std::vector<double>& weights) {
    double sum = 0;
    for (const double weight : weights) sum += weight;
    double rest = uniform() * sum;
    for (std::size_t i = 0; i + 1 < weights.size(); ++i)
      if ((rest -= weights[i]) < 0) return i;
    return weights.size() - 1;
  }
  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

 private:
  SplitMix64 numbers_;
};

}  // namespace loopglass::tune
