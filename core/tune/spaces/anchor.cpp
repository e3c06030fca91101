#include "core/tune/spaces/anchor.h"

#include "core/default_schedule/default_schedule.h"
#include "core/default_schedule/rules.h"
#include "core/loop/blocks.h"
#include "core/loop/path.h"
#include "core/script/sampling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::tune {

using schedule::BlockAnalysis;

bool Anchor::has_reuse() const {
  int missing = 0;
  for (std::size_t o = 1; o < block.operands.size(); ++o)
    missing += std::ranges::any_of(block.axes, [&](const schedule::Axis& axis) {
      return axis.extent > 1 && axis.steps[o] == 0;
    });
  return missing >= 2 || (missing >= 1 && block.reduction_points > 1);
}

namespace {

// The lines by which the default schedule inlines producers: they come first.
Result<void> inline_producers(SketchWriter& writer, const Task& task) {
  const schedule::Trace usual = TRY(schedule::default_schedule(task.nest, task.machine));
  schedule::Trace inlining;
  for (const schedule::Instruction& line : usual.instructions) {
    if (line.primitive != "block" && line.primitive != "compute_inline") break;
    inlining.instructions.push_back(line);
  }
  while (!inlining.instructions.empty() &&
         inlining.instructions.back().primitive != "compute_inline")
    inlining.instructions.pop_back();
  return writer.append(inlining);
}

}  // namespace

Result<std::optional<Anchor>> anchor_of(const Task& task) {
  Anchor anchor{SketchWriter(task.nest), {}, {}};
  TRY_VOID(inline_producers(anchor.writer, task));
  std::optional<BlockAnalysis> best;
  const auto work = [](const BlockAnalysis& block) {
    return static_cast<double>(block.spatial_points) * static_cast<double>(block.reduction_points);
  };
  for (const loop::Block* block : loop::blocks_of(anchor.writer.func().body)) {
    if (!loop::has_reduction(*block)) continue;
    const auto found = schedule::analyse(anchor.writer.func(), block->name);
    if (found && !found->axes.empty() && !found->reductions.empty() &&
        (!best || work(*found) > work(*best)))
      best = found;
  }
  if (!best) return std::optional<Anchor>();
  anchor.block = unmerged(*best);
  anchor.lanes = task.machine.lanes(best->widest_bytes);
  anchor.epilogue = schedule::epilogue_of(anchor.writer.func(), best->name);
  schedule::TileChooser others;
  others.left = {best->name};
  if (anchor.epilogue) others.left.insert(*anchor.epilogue);
  TRY_VOID(anchor.writer.append(
      TRY(schedule::schedule_by_default(anchor.writer.func(), task.machine, others)).trace));
  const schedule::TilePlan plan = plan_tiles(anchor.block, task.machine);
  anchor.lanes_axis = plan.vector_axis.value_or(anchor.block.axes.size() - 1);
  if (plan.repeat_axis != anchor.lanes_axis) anchor.repeat_axis = plan.repeat_axis;
  return anchor;
}

Result<void> RegisterTile::own_the_sum(SketchWriter& writer, const std::string& scope) {
  if (anchor_.epilogue) {
    consumer_ = *anchor_.epilogue;
    sum_ = anchor_.block.buffer;
    TRY(writer.call("set_scope", {sum_, scope}));
    return {};
  }
  consumer_ =
      TRY(writer.call_for_one("cache_write", {schedule::Handle{anchor_.block.name}, scope}));
  const auto path = TRY(loop::find_block(writer.func(), anchor_.block.name));
  sum_ = loop::only_store(path.block())->buffer;
  return {};
}

Result<void> RegisterTile::shape(SketchWriter& writer, const std::string& buffer,
                                 const std::string& first) const {
  std::vector<std::string> names, order;
  if (!first.empty()) names = order = {first};
  std::string repeats, lanes;
  for (std::size_t a = 0; a < anchor_.block.axes.size(); ++a) {
    const std::string& name = anchor_.block.iter_names[anchor_.block.axes[a].iters[0]];
    names.push_back(name);
    if (a == anchor_.lanes_axis) lanes = name;
    else if (a == anchor_.repeat_axis) repeats = name;
    else order.push_back(name);
  }
  if (!repeats.empty()) order.push_back(repeats);
  order.push_back(lanes);
  if (order == names) return {};
  TRY(writer.call("transform_layout",
                  {buffer, fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(order, " "))}));
  return {};
}

Result<void> RegisterTile::finish(SketchWriter& writer, const std::vector<std::string>& own) {
  return finish_like(writer, own, writer.turning(own));
}

Result<void> RegisterTile::finish_like(SketchWriter& writer, const std::vector<std::string>& own,
                                       const std::vector<std::string>& following) {
  const auto turning = writer.turning(own);
  const bool has_lanes = !turning.empty() && turning.back() == own.back();
  for (std::size_t i = 0; i < std::min(turning.size(), following.size()); ++i)
    TRY(writer.call(has_lanes && i + 1 == turning.size() ? "vectorize" : "unroll",
                    {schedule::Handle{following[i]}}));
  return {};
}

Result<void> RegisterTile::finish_inside(SketchWriter& writer, const std::vector<std::string>& own,
                                         const std::string& block) {
  const auto count = std::ssize(writer.turning(own));
  const auto loops = writer.turning(TRY(writer.loops(block)));
  if (std::ssize(loops) < count) return {};
  return finish_like(writer, own, {loops.end() - count, loops.end()});
}

}  // namespace loopglass::tune
