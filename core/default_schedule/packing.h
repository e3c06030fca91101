// How constants that a tile reads are laid out: as it reads them, one element behind the other.
#pragma once

#include "core/default_schedule/block_analysis.h"

#include <cstdint>
#include <string>
#include <vector>

namespace loopglass::schedule {

// How what is reduced is walked: one of the reduction's loops, or half of one that is split.
struct Walked {
  std::size_t reduction;
  enum class Half : std::uint8_t { Whole, Outer, Inner } half = Half::Whole;
  std::int64_t length = 1;  // of the inner half
};

// "r1 i1 r0 -> i1/32 r0 r1 i1%32": tiles of the axis outside everything that is reduced, that in
// the order in which it is walked, the elements of one tile together.
// `factor`: elements of a tile along that dimension of the operand; a map of transform_layout.
std::string packing_map(const Operand& operand, const BlockAnalysis& block, std::size_t dimension,
                        std::int64_t factor, const std::vector<Walked>& walk);

}  // namespace loopglass::schedule
