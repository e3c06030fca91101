// What is stored side by side and read apart, as in a transposition: square tiles go through
// registers, so that whole vectors are loaded and stored. A copy is nothing else; what an
// elementwise block reads across is turned first, tile by tile.
#include "core/default_schedule/loop_cost.h"
#include "core/default_schedule/rules.h"
#include "core/loop/blocks.h"
#include "core/loop/intrinsics.h"
#include "core/loop/path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t few_chunks = 8;
constexpr std::int64_t interleaved_rows = 3;
constexpr std::int64_t widest_tile = 16;  // of elements of a byte or two

// An iteration, and how many of it a tile has.
struct Cut {
  std::size_t iter = 0;
  std::int64_t count = 1;
};

struct Tile {
  const Intrinsic* intrinsic = nullptr;
  Cut store, load;  // along which what is stored, or read, lies side by side
};

// One that an intrinsic turns: as wide as a vector, as high as its description says, its rows as
// far apart. What is the same along a side is repeated, not turned.
std::optional<Tile> tile_of(const BlockAnalysis& block, const Operand& load, const Machine& machine,
                            const Func& func) {
  const std::int64_t width = std::min<std::int64_t>(machine.lanes(block.widest_bytes), widest_tile);
  const Operand& store = block.store();
  for (const auto& [body, rows] : {std::pair{IntrinsicBody::Transpose, width},
                                   {IntrinsicBody::Interleave, interleaved_rows}}) {
    const Intrinsic* intrinsic = find_intrinsic(body, rows, width, load.type);
    if (!intrinsic) continue;
    const std::int64_t apart = intrinsic->strides[1][0];  // 0: any number
    for (std::size_t s = 0; s < block.extents.size(); ++s)
      for (std::size_t l = 0; l < block.extents.size(); ++l)
        if (s != l && store.steps[s] == 1 && load.uses(s) && block.extents[l] >= width &&
            block.extents[s] >= rows && (apart == 0 || store.steps[l] == apart) &&
            (load.steps[l] == 1 ||
             (!load.steps[l] && step_in_tiles(load, l, width, block, func) == 1)))
          return Tile{intrinsic, {s, rows}, {l, width}};
  }
  return std::nullopt;
}

// Of so many tiles along what is read, how many are turned before other rows are begun, where the
// rows that are read lie farther apart than those that are stored: each is then read for a KiB,
// which a core sees coming. (Of 128 planes of 512 x 512 a line each at a time came at 6.5 GB/s, 16
// at 16.)
std::int64_t run_of(const BlockAnalysis& block, const Tile& tile, const Operand& load) {
  constexpr std::int64_t usual = 16, least = 4, much_farther = 4;
  const auto read_apart = load.steps[tile.store.iter],
             stored_apart = block.store().steps[tile.load.iter];
  const std::int64_t tiles = block.extents[tile.load.iter] / tile.load.count;
  if (!read_apart || !stored_apart || *read_apart < much_farther * *stored_apart) return 1;
  if (tiles <= 2 * usual) return tiles;
  for (std::int64_t run = 2 * usual; run >= least; --run)
    if (tiles % run == 0) return run;
  return 1;
}

bool is_copy(const Func& func, const BlockAnalysis& block) {
  const auto path = find_block(func, block.name);
  const loop::Store* store = path ? only_store(path->block()) : nullptr;
  return store && store->value.as<expr::Load>() && block.operands.size() == 2;
}

bool is_even(const BlockAnalysis& block, const Cut& cut) {
  return block.extents[cut.iter] % cut.count == 0;
}

// The loops around a tile. It is too little to be handed out by itself: as few of them as give all
// threads enough are shared.
struct Around {
  Draft::Names loops, shared;
  std::int64_t chunks = 1;

  void add(const std::string& loop, std::int64_t extent) {
    loops.push_back(loop);
    if (chunks >= least_chunks) return;
    shared.push_back(loop);
    chunks *= extent;
  }
};
Around around(const BlockAnalysis& block, const Tile& tile, const Draft::Names& loops) {
  Around around;
  for (std::size_t iter = 0; iter < loops.size(); ++iter)
    if (iter != tile.load.iter && iter != tile.store.iter)
      around.add(loops[iter], block.extents[iter]);
  return around;
}

// A copy of an operand that lies as the block walks: its name.
Result<std::string> turned(Draft& draft, const BlockAnalysis& block, const Operand& operand,
                           const Tile& tile) {
  const auto illegal = [&](const char* why) {
    return fail(Code::ScheduleIllegal, why, block.name);
  };
  std::string copy = TRY(draft.reindex(block.name, operand.buffer, "workspace"));
  const auto reading = analyse(draft.func(), block.name);
  if (!reading) return illegal("the block is not understood");
  const auto read = std::ranges::find(reading->operands, copy, &Operand::buffer);
  if (read == reading->operands.end()) return illegal("the copy is not read by itself");
  std::vector<std::string> names, order, sides(2);
  for (std::size_t d = 0; d < read->indices.size(); ++d) {
    const auto is_read_by = [&](const Cut& cut) {
      const auto* variable = read->indices[d].as<expr::Variable>();
      return variable && variable->name == reading->iter_names[cut.iter];
    };
    names.push_back(fmt::format("d{}", d));
    if (is_read_by(tile.load)) sides[0] = names.back();
    else if (is_read_by(tile.store)) sides[1] = names.back();
    else order.push_back(names.back());
  }
  order.insert(order.end(), sides.begin(), sides.end());
  if (order.size() != names.size()) return illegal("a side of a tile is no dimension");
  if (order != names)
    TRY_VOID(draft.transform_layout(
        copy, fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(order, " "))));
  return copy;
}

// What a block reads across is turned, and then read, tile by tile.
Result<void> turn_in_tiles(Draft& draft, const BlockAnalysis& block, const Tile& tile,
                           const Draft::Names& copies, const Machine& machine) {
  const double cycles = elementwise_cycles(draft.func(), block, machine);
  const Draft::Names loops = TRY(draft.loops(block.name));
  Around outer = around(block, tile, loops);
  Draft::Names inner;
  for (const Cut& cut : {tile.load, tile.store}) {
    const Draft::Names parts = TRY(draft.split(loops[cut.iter], {-1, cut.count}));
    outer.add(parts[0], block.extents[cut.iter] / cut.count);
    inner.push_back(parts[1]);
  }
  Draft::Names order = outer.loops;
  order.insert(order.end(), inner.begin(), inner.end());
  TRY_VOID(draft.reorder(order));
  for (const std::string& copy : copies) {
    // Loops come in the order of dimensions.
    const Draft::Names own = TRY(draft.compute_at(copy, outer.loops.back()));
    if (own.size() < 2)
      return fail(Code::ScheduleIllegal, "a tile has too few dimensions", block.name);
    TRY_VOID(draft.set_scope(copy, "stack"));
    TRY(draft.call("tensorize", {Handle{own[own.size() - 2]}, tile.intrinsic->name}));
  }
  TRY_VOID(draft.unroll(inner[0]));
  TRY_VOID(draft.vectorize(inner[1]));
  return parallelise(draft, outer.shared, cycles);
}

}  // namespace

Result<void> schedule_transpose(Draft& draft, const BlockAnalysis& block, const Machine& machine) {
  const auto illegal = [&](const char* why) {
    return fail(Code::ScheduleIllegal, why, block.name);
  };
  if (!is_copy(draft.func(), block)) return illegal("it is no copy");
  const auto tile = tile_of(block, block.operands[1], machine, draft.func());
  if (!tile) return illegal("no tiles of registers fit");
  const double cycles = elementwise_cycles(draft.func(), block, machine);
  // What whole tiles leave over stands behind them, and is in the way of whoever moves the loop
  // around: of two cuts the even one goes outside.
  Cut outside = tile->load, inside = tile->store;
  if (!is_even(block, outside) && is_even(block, inside)) std::swap(outside, inside);
  const Draft::Names loops = TRY(draft.loops(block.name));
  Around outer = around(block, *tile, loops);
  const auto split = [&](const Cut& cut) {
    return draft.call("split", {Handle{loops[cut.iter]}, std::vector<std::int64_t>{-1, cut.count},
                                std::string("peel")});
  };
  Draft::Names order = outer.loops;
  order.insert(order.end(), {loops[outside.iter], loops[inside.iter]});
  if (order != loops) TRY_VOID(draft.reorder(order));
  const Draft::Names tiles = TRY(split(outside));
  TRY_VOID(draft.reorder({tiles[0], loops[inside.iter], tiles[1]}));
  const Draft::Names inner = TRY(split(inside));
  std::string walked = tiles[0];
  std::int64_t run = 1;
  if (is_even(block, outside) && is_even(block, inside) && outside.iter == tile->load.iter)
    run = run_of(block, *tile, block.operands[1]);
  if (run > 1) {
    const Draft::Names parts = TRY(draft.split(walked, {-1, run}));
    TRY_VOID(draft.reorder({inner[0], parts[1]}));
    walked = parts[0];
  }
  TRY(draft.call("tensorize", {Handle{inner[1]}, tile->intrinsic->name}));
  if (is_even(block, outside))
    outer.add(walked, block.extents[outside.iter] / (outside.count * run));
  else if (outer.chunks < few_chunks) outer.shared = {walked};
  return parallelise(draft, outer.shared, cycles);
}

Result<void> turn_operands(Draft& draft, const std::string& name, const Machine& machine) {
  const auto illegal = [&] {
    return fail(Code::ScheduleIllegal, "nothing is read across that tiles could turn", name);
  };
  const auto block = analyse(draft.func(), name);
  if (!block || !block->reductions.empty() || block->asks_where_it_is ||
      is_copy(draft.func(), *block) || !draft.result().symbols.empty())
    return illegal();
  std::optional<Tile> tile;
  Draft::Names copies;
  std::set<std::string> seen;  // a buffer is read once or several times
  for (const Operand& operand : block->operands) {
    if (operand.is_store || operand.constant || !operand.parameter) continue;
    if (!seen.insert(operand.buffer).second) continue;
    const auto found = tile_of(*block, operand, machine, draft.func());
    const bool is_turned = found && found->intrinsic->body == IntrinsicBody::Transpose &&
                           (!tile || tile->load.iter == found->load.iter);
    if (!is_turned) continue;
    tile = found;
    copies.push_back(TRY(turned(draft, *block, operand, *tile)));
  }
  if (!tile) return illegal();
  // Of what is left over behind tiles copies are read as well: they are made by themselves.
  if (!is_even(*block, tile->load) || !is_even(*block, tile->store)) return {};
  return turn_in_tiles(draft, *block, *tile, copies, machine);
}

}  // namespace loopglass::schedule
