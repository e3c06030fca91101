// How a reduction is tiled for vector registers, chosen by counting.
//
// One axis is walked by vectors (a few at a time), another by repeating the body, so that a tile of
// sums lives in registers while the reduction runs; every operand is loaded once per step for as
// much of the tile as it does not depend on. A convolution may put output channels into the lanes
// (weights packed, pixels repeated) or pixels (weights repeated); a matrix product columns or rows.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/machine/machine.h"

#include <optional>

namespace loopglass::schedule {

struct TilePlan {
  std::optional<std::size_t> vector_axis, repeat_axis;  // positions in BlockAnalysis::axes
  std::int64_t vector_length = 1;                       // elements, one or several vectors
  std::int64_t repeats = 1;
  bool vector_outside = true;  // order of the two loops over tiles
  // What stays in registers for a term: a value of each repeat, for which vectors come one at a
  // time; else the vectors, for which values do.
  bool holds_repeats = false;
  // Of the side that turns faster, so many of its outer axes go around the other side's loops.
  std::int64_t around = 0;
  double cycles = 0;  // what the counting gave
};

// An operand is packed for an axis if it is a constant that one dimension of indexes by it alone.
std::optional<std::size_t> packable_dimension(const Operand& operand, const BlockAnalysis& block,
                                              const Axis& axis);

// Whether the operands that an axis moves are those of the vector axis, of the repeat axis, or both
// or neither.
enum class Side : std::uint8_t { Both, Vector, Repeat };
Side side_of(const BlockAnalysis& block, const TilePlan& plan, std::size_t axis);

TilePlan plan_tiles(const BlockAnalysis& block, const Machine& machine);

// All that fit into the registers, each with its cycles and the better order of its loops, the
// fewest cycles first.
std::vector<TilePlan> tile_plans(const BlockAnalysis& block, const Machine& machine);

// What somebody else has chosen for a reduction, in the place of counting.
struct TileChoice {
  bool merged = true;  // axes through which all operands walk evenly are one
  TilePlan plan;
  std::int64_t run = 0;    // terms of a sum in registers before it is added to the sums; 0: usual
  std::int64_t group = 1;  // tiles of the outer side together, for each of the inner side's
  int unroll = 0;          // copies of the innermost turning loop's body; 0: usual
};

}  // namespace loopglass::schedule
