// In which order the tiles of a plan are taken, by what each order fetches from beyond the second
// cache: one side's tiles turn slowly (far), the other side's (near) inside of them, and outer axes
// of the near side may go around both, as the images of a batch, one after another.
#pragma once

#include "core/default_schedule/tile_plan.h"

namespace loopglass::schedule {

// What turns inside the other side's tiles: how many tiles, and the elements of their axes. Axes
// that go around both sides are left out.
struct SideExtent {
  std::int64_t tiles = 1, elements = 1;
};
SideExtent extent_of(const BlockAnalysis& block, const TilePlan& plan, Side side);

// Whether an operand's terms lie further apart than a line of a cache, so that nobody foresees
// where the next one is; whether there is such an operand.
bool jumps(const BlockAnalysis& block, std::size_t operand);
bool may_jump(const BlockAnalysis& block);
double cycles_of_jumping_byte(const Machine& machine);
// Whether nobody finds it there still who has walked through all of it.
bool is_beyond_caches(const Operand& operand, const Machine& machine);
// Bytes of such operands that the plan's order fetches from beyond the third cache, once more than
// it has to. (From that, they hide behind the sums: 26 x 26 pixels of 256 channels take no longer
// than what the second holds.)
double jumping_bytes(const TilePlan& plan, const BlockAnalysis& block, const Machine& machine);

// The order that fetches least: `vector_outside` and `around` of the plan.
void choose_order(TilePlan& plan, const BlockAnalysis& block, const Machine& machine);

}  // namespace loopglass::schedule
