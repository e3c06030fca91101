// How a reduction is put into tiles: by the plan that counting prefers, with all that helps it as
// far as that is legal.
#include "core/default_schedule/near_copies.h"
#include "core/default_schedule/row_chain.h"
#include "core/default_schedule/rules.h"
#include "core/default_schedule/streaming.h"
#include "core/default_schedule/tile_plan.h"
#include "core/default_schedule/tile_schedule.h"
#include "core/default_schedule/turned_tile.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

Result<void> schedule_in_tiles(Draft& draft, const BlockAnalysis& block,
                               const std::optional<std::string>& epilogue, const Machine& machine,
                               const std::optional<TileChoice>& choice,
                               const std::optional<Band>& rows) {
  const BlockAnalysis apart = unmerged(block);
  // What comes from memory streamed, the tile turned and copies made near, if it is worth it and as
  // far as legal.
  const auto write = [&](const TileChoice& tiles) -> Result<void> {
    const BlockAnalysis& chosen = tiles.merged ? block : apart;
    TileSchedule wanted{chosen, tiles, machine};
    wanted.band = !rows ? band_of(draft.func(), chosen, tiles.plan, machine)
                  : has_bands_apart(chosen, *rows) ? rows
                                                   : std::nullopt;
    const auto attempt = [&](const Streaming& streaming, const Intrinsic* turning) {
      wanted.streaming = streaming;
      wanted.turning = turning;
      Draft attempted = draft;
      auto written = write_tiles(attempted, wanted, epilogue);
      if (written) draft = std::move(attempted);
      return written;
    };
    const Intrinsic* turning = turning_intrinsic(chosen, tiles.plan, machine);
    for (;; wanted.band.reset()) {
      Result<void> written;
      for (const Streaming& streaming : ways_to_stream(chosen, tiles.plan, machine)) {
        if (turning && streaming.way != Streaming::Way::Blocks && attempt(streaming, turning))
          return {};
        written = attempt(streaming, nullptr);
        if (written) return written;
      }
      if (!wanted.band) return written;
    }
  };
  if (choice) return write(*choice);
  if (rows && write({false, plan_in_band(block, *rows, machine)})) return {};
  const TilePlan merged_plan = plan_tiles(block, machine), apart_plan = plan_tiles(apart, machine);
  const bool merge = merged_plan.cycles <= apart_plan.cycles && !block.asks_where_it_is;
  const auto counted = [&](bool merged) {
    return TileChoice{merged, merged ? merged_plan : apart_plan};
  };
  // Tiles across rows may be more than can be shown to be independent; then the other plan will do.
  return write(counted(merge)) ? Result<void>() : write(counted(!merge));
}

}  // namespace

Result<void> schedule_reduction(Draft& draft, const BlockAnalysis& block,
                                const std::optional<std::string>& epilogue, const Machine& machine,
                                const std::optional<TileChoice>& choice,
                                const std::optional<Band>& rows) {
  if (block.reductions.empty() || block.axes.empty())
    return fail(Code::ScheduleIllegal, fmt::format("'{}' has nothing to tile", block.name));
  // Another block may have packed a constant as this one would: the steps of a recurrent network
  // read the same weights.
  const auto before = choice ? std::nullopt : analyse(draft.func(), block.name, true);
  const auto is_packed = [](const Operand& operand) { return !operand.packed_indices.empty(); };
  if (before && std::ranges::any_of(before->operands, is_packed)) {
    Draft attempted = draft;
    if (schedule_in_tiles(attempted, *before, epilogue, machine, choice, rows)) {
      draft = std::move(attempted);
      return {};
    }
  }
  return schedule_in_tiles(draft, block, epilogue, machine, choice, rows);
}

}  // namespace loopglass::schedule
