#include "core/default_schedule/streaming.h"

#include "core/default_schedule/tile_order.h"

#include <optional>

namespace loopglass::schedule {

namespace {

// Sums that each element is used for: with more of them, waiting for it is a small part of the
// time, and asking for it in each term is not.
constexpr std::int64_t most_sums = 1024;

// The sides of a plan, by what turns inside what.
struct Sides {
  Sides(const BlockAnalysis& block, const TilePlan& plan)
      : far_axis(plan.vector_outside ? *plan.vector_axis : *plan.repeat_axis),
        near_axis(plan.vector_outside ? *plan.repeat_axis : *plan.vector_axis),
        far(extent_of(block, plan, plan.vector_outside ? Side::Vector : Side::Repeat)),
        near(extent_of(block, plan, plan.vector_outside ? Side::Repeat : Side::Vector)),
        far_length(plan.vector_outside ? plan.vector_length : plan.repeats) {}

  std::size_t far_axis, near_axis;
  SideExtent far, near;
  std::int64_t far_length;  // of a tile
};

bool moves_with(const BlockAnalysis& block, std::size_t operand, std::size_t axis,
                std::size_t other) {
  return block.axes[axis].steps[operand] != 0 && block.axes[other].steps[operand] == 0;
}

// What one far tile reads of an operand that moves with it.
std::int64_t far_tile_bytes(const BlockAnalysis& block, std::size_t operand, const Sides& sides) {
  return block.reduction_points * sides.far_length *
         static_cast<std::int64_t>(byte_size(block.operands[operand].type));
}

std::optional<Streaming> of_constant(const BlockAnalysis& block, const TilePlan& plan,
                                     const Sides& sides, const Machine& machine) {
  const auto& [far_axis, near_axis, far, near, far_length] = sides;
  if (near.tiles < 2 || near.elements > most_sums || far.tiles < 2) return std::nullopt;
  for (std::size_t o = 1; o < block.operands.size(); ++o) {
    const Operand& operand = block.operands[o];
    if (!operand.constant || !moves_with(block, o, far_axis, near_axis)) continue;
    const std::int64_t tile = far_tile_bytes(block, o, sides);
    if (far.tiles * tile <= machine.l1.bytes) continue;
    // This one and the next, beside what else the sums read.
    const bool has_room = 2 * tile <= machine.l2.bytes / 2;
    const std::int64_t sums =
        near.elements * far_length * static_cast<std::int64_t>(byte_size(operand.type));
    const bool blocks = !has_room && plan.vector_outside && sums <= machine.l2.bytes / 16 &&
                        far.tiles >= 2 * machine.cores;
    return Streaming{blocks ? Streaming::Way::Blocks : Streaming::Way::Tiles, operand.buffer};
  }
  return std::nullopt;
}

// Images that are in no cache any more since somebody made them.
std::optional<Streaming> of_images(const BlockAnalysis& block, const TilePlan& plan,
                                   const Sides& sides, const Machine& machine) {
  const auto& [far_axis, near_axis, far, near, far_length] = sides;
  for (std::size_t o = 1; o < block.operands.size(); ++o) {
    const Operand& operand = block.operands[o];
    if (!operand.parameter || operand.constant || !jumps(block, o) ||
        !is_beyond_caches(operand, machine))
      continue;
    if (moves_with(block, o, far_axis, near_axis) && near.tiles > 1 && near.elements <= most_sums &&
        2 * far_tile_bytes(block, o, sides) <= machine.l2.bytes / 2)
      return Streaming{Streaming::Way::Tiles, operand.buffer};
    if (plan.around > 0 && moves_with(block, o, near_axis, far_axis) && far.elements <= most_sums &&
        block.reduction_points * near.elements *
                static_cast<std::int64_t>(byte_size(operand.type)) <=
            machine.l2.bytes)
      return Streaming{Streaming::Way::Rounds, operand.buffer};
  }
  return std::nullopt;
}

}  // namespace

std::vector<Streaming> ways_to_stream(const BlockAnalysis& block, const TilePlan& plan,
                                      const Machine& machine) {
  std::vector<Streaming> ways;
  if (plan.vector_axis && plan.repeat_axis && !block.reductions.empty()) {
    const Sides sides(block, plan);
    if (auto images = of_images(block, plan, sides, machine)) ways.push_back(*std::move(images));
    if (auto constant = of_constant(block, plan, sides, machine)) {
      ways.push_back(*constant);
      if (constant->way == Streaming::Way::Blocks)
        ways.push_back({Streaming::Way::Tiles, constant->buffer});
    }
  }
  ways.emplace_back();
  return ways;
}

}  // namespace loopglass::schedule
