#include "core/default_schedule/streaming.h"

#include "core/default_schedule/tile_order.h"

namespace loopglass::schedule {

namespace {

// Sums that each element of the constant is used for: with more of them, waiting for it is a small
// part of the time, and asking for it in each term is not.
constexpr std::int64_t most_sums = 1024;

}  // namespace

Streaming plan_streaming(const BlockAnalysis& block, const TilePlan& plan, const Machine& machine) {
  if (!plan.vector_axis || !plan.repeat_axis || block.reductions.empty()) return {};
  const Side far_side = plan.vector_outside ? Side::Vector : Side::Repeat;
  const Side near_side = plan.vector_outside ? Side::Repeat : Side::Vector;
  const std::size_t far_axis = plan.vector_outside ? *plan.vector_axis : *plan.repeat_axis;
  const std::size_t near_axis = plan.vector_outside ? *plan.repeat_axis : *plan.vector_axis;
  const SideExtent far = extent_of(block, plan, far_side), near = extent_of(block, plan, near_side);
  if (near.tiles < 2 || near.elements > most_sums || far.tiles < 2) return {};
  for (std::size_t o = 1; o < block.operands.size(); ++o) {
    const Operand& operand = block.operands[o];
    if (!operand.constant || block.axes[far_axis].steps[o] == 0 ||
        block.axes[near_axis].steps[o] != 0)
      continue;
    const auto bytes = static_cast<std::int64_t>(byte_size(operand.type));
    const std::int64_t tile_length = plan.vector_outside ? plan.vector_length : plan.repeats;
    const std::int64_t tile = block.reduction_points * tile_length * bytes;
    if (far.tiles * tile <= machine.l1.bytes) continue;
    // This one and the next, beside what else the sums read.
    const bool has_room = 2 * tile <= machine.l2.bytes / 2;
    const std::int64_t sums = near.elements * tile_length * bytes;
    const bool blocks = !has_room && plan.vector_outside && sums <= machine.l2.bytes / 16 &&
                        far.tiles >= 2 * machine.cores;
    return {blocks ? Streaming::Way::Blocks : Streaming::Way::Tiles, operand.buffer};
  }
  return {};
}

Streaming less(Streaming streaming) {
  streaming.way =
      streaming.way == Streaming::Way::Blocks ? Streaming::Way::Tiles : Streaming::Way::Not;
  return streaming;
}

}  // namespace loopglass::schedule
