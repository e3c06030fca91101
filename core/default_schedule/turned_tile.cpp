#include "core/default_schedule/turned_tile.h"

#include <algorithm>

namespace loopglass::schedule {

namespace {

// With fewer, storing lane by lane is as good.
constexpr std::int64_t fewest_rows = 4;

std::int64_t rows_of(const loop::Intrinsic& intrinsic) {
  return *expr::as_integer(intrinsic.description.parameters[0].shape.front());
}
std::int64_t columns_of(const loop::Intrinsic& intrinsic) {
  return *expr::as_integer(intrinsic.description.parameters[0].shape.back());
}

// The two halves of a loop, the inner one of so many iterations; the loop itself where that is all
// of it.
Result<Draft::Names> halves_of(Draft& draft, const std::string& loop, std::int64_t extent,
                               std::int64_t inner) {
  if (extent == inner) return Draft::Names{loop};
  return draft.split(loop, {-1, inner});
}

}  // namespace

const loop::Intrinsic* turning_intrinsic(const BlockAnalysis& block, const TilePlan& plan,
                                         const Machine& machine) {
  if (!plan.vector_axis || !plan.repeat_axis || plan.holds_repeats ||
      block.store().type != DataType::Float32)
    return nullptr;
  const Axis &lanes = block.axes[*plan.vector_axis], &repeats = block.axes[*plan.repeat_axis];
  const std::int64_t width = machine.lanes(byte_size(block.store().type));
  if (lanes.steps[0] == 1 || repeats.steps[0] != 1 || lanes.extent % plan.vector_length != 0 ||
      repeats.extent % plan.repeats != 0 || plan.vector_length % width != 0)
    return nullptr;
  for (std::int64_t rows = std::min(width, plan.repeats); rows >= fewest_rows; --rows)
    if (plan.repeats % rows == 0)
      return loop::find_intrinsic(loop::IntrinsicBody::Transpose, rows, width);
  return nullptr;
}

Result<void> turn_tile(Draft& draft, const Draft::Names& loops, const TilePlan& plan,
                       const loop::Intrinsic& intrinsic) {
  const Draft::Names rows = TRY(halves_of(draft, loops[0], plan.repeats, rows_of(intrinsic)));
  const Draft::Names lanes =
      TRY(halves_of(draft, loops[1], plan.vector_length, columns_of(intrinsic)));
  Draft::Names order;
  if (rows.size() > 1) order.push_back(rows.front());
  if (lanes.size() > 1) order.push_back(lanes.front());
  for (const std::string& around : order) TRY_VOID(draft.unroll(around));
  order.insert(order.end(), {rows.back(), lanes.back()});
  TRY_VOID(draft.reorder(order));
  TRY(draft.call("tensorize", {Handle{rows.back()}, intrinsic.name}));
  return {};
}

}  // namespace loopglass::schedule
