// What vectors a number of lanes becomes that is no power of two, when the loop pass cut-vectors
// comes to it.
#pragma once

#include <bit>
#include <cstdint>

namespace loopglass::loop {

struct VectorPieces {
  static constexpr std::int64_t widest = 16;
  // Beyond that code generation takes no vector, and the pieces would be very many statements.
  static constexpr std::int64_t most_lanes = 512;

  explicit VectorPieces(std::int64_t lanes)
      : whole(lanes / widest),
        rest(lanes % widest),
        last(rest == 0
                 ? 0
                 : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(rest)))) {}

  std::int64_t lanes_with_idle() const { return whole * widest + last; }
  bool has_idle() const { return last != rest; }

  std::int64_t whole;  // vectors of the widest kind
  std::int64_t rest;   // lanes that are left for the last vector
  std::int64_t last;   // its lanes, those that idle included; 0: there is none
};

}  // namespace loopglass::loop
