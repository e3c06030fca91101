#include "core/default_schedule/lane_plan.h"

#include "core/default_schedule/cycle_costs.h"
#include "core/default_schedule/tile_plan.h"

#include <algorithm>

namespace loopglass::schedule {

namespace {

constexpr double adding_lanes = 14.0;  // at the end of each sum, beside that of other sums

// One step of so many lanes: the loads, their bytes from beyond the first cache, the additions.
double step_cycles(const BlockAnalysis& block, const Axis& axis, double vectors, double lanes,
                   const Machine& machine) {
  double loads = 0, streamed = 0;
  for (std::size_t o = 1; o < block.operands.size(); ++o) {
    const Operand& operand = block.operands[o];
    const auto step = packable_dimension(operand, block, axis) ? 1 : axis.steps[o];
    loads += step == 0 ? 1 : vector_loads(static_cast<double>(step.value_or(0)), vectors, lanes);
    const double bytes = static_cast<double>(byte_size(operand.type));
    double all = bytes;
    for (std::size_t i = 0; i < block.extents.size(); ++i)
      if (operand.uses(i)) all *= static_cast<double>(block.extents[i]);
    if (step != 0 && all > static_cast<double>(machine.l1.bytes) / 2)
      streamed += vectors * lanes * bytes / machine.l2_bytes_per_cycle();
  }
  return std::max({vectors / 2, loads / 2, operation_latency, streamed}) +
         overlap_loss * (loads / 2 + streamed);
}

}  // namespace

std::optional<LanePlan> plan_lanes(const BlockAnalysis& block, const Machine& machine) {
  if (block.reducer == te::Reducer::And || block.reducer == te::Reducer::Or) return std::nullopt;
  const std::int64_t lanes = machine.lanes(block.widest_bytes);
  std::optional<LanePlan> best;
  // Innermost first: of equals, neighbours in memory win.
  for (auto axis = block.reduction_axes.rbegin(); axis != block.reduction_axes.rend(); ++axis) {
    if (lanes == 1 || axis->extent < lanes) continue;
    for (std::int64_t vectors = 1; vectors <= most_vectors && vectors * lanes <= axis->extent;
         vectors *= 2) {
      const std::int64_t steps = (axis->extent + vectors * lanes - 1) / (vectors * lanes);
      const double width = static_cast<double>(vectors);
      const double step = step_cycles(block, *axis, width, static_cast<double>(lanes), machine);
      const double each =
          static_cast<double>(steps * (block.reduction_points / axis->extent)) * step;
      const double cycles =
          static_cast<double>(block.spatial_points) * (each + adding_lanes + width);
      if (!best || cycles < best->cycles * 0.999) best = LanePlan{*axis, vectors * lanes, cycles};
    }
  }
  if (!best || block.axes.empty()) return best;
  const double in_tiles =
      std::min(plan_tiles(block, machine).cycles, plan_tiles(unmerged(block), machine).cycles);
  return best->cycles < in_tiles ? best : std::nullopt;
}

}  // namespace loopglass::schedule
