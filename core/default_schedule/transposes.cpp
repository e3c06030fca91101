// Blocks that copy a tensor whose neighbours are apart in what is read, as a transposition does:
// square tiles go through registers, so that whole vectors are loaded and stored.
#include "core/default_schedule/loop_cost.h"
#include "core/default_schedule/rules.h"
#include "core/loop/blocks.h"
#include "core/loop/intrinsics.h"
#include "core/loop/path.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t least_chunks = 32;  // enough for threads to share evenly
constexpr std::int64_t few_chunks = 8;

// An iteration, and how many of it a tile has.
struct Cut {
  std::size_t iter = 0;
  std::int64_t count = 1;
};

struct Tile {
  Cut store, load;  // along which what is stored, or read, lies side by side
  std::string intrinsic;
};

std::optional<Tile> tile_of(const BlockAnalysis& block, std::int64_t width) {
  constexpr std::int64_t colours = 3;
  const Operand &store = block.store(), &load = block.operands[1];
  for (std::size_t s = 0; s < block.extents.size(); ++s)
    for (std::size_t l = 0; l < block.extents.size(); ++l) {
      if (s == l || store.steps[s] != 1 || load.steps[l] != 1 || block.extents[l] < width) continue;
      if (block.extents[s] >= width)
        return Tile{{s, width}, {l, width}, fmt::format("transpose_{0}x{0}", width)};
      if (block.extents[s] == colours && store.steps[l] == colours)
        return Tile{{s, colours}, {l, width}, fmt::format("interleave_{}x{}", colours, width)};
    }
  return std::nullopt;
}

bool is_copy(const Func& func, const BlockAnalysis& block) {
  const auto path = find_block(func, block.name);
  const loop::Store* store = path ? only_store(path->block()) : nullptr;
  return store && store->value.as<expr::Load>() && block.operands.size() == 2;
}

}  // namespace

Result<void> schedule_transpose(Draft& draft, const BlockAnalysis& block, const Machine& machine) {
  const auto illegal = [&](const char* why) {
    return fail(Code::ScheduleIllegal, why, block.name);
  };
  if (!is_copy(draft.func(), block)) return illegal("it is no copy");
  const std::int64_t width = machine.lanes(static_cast<int>(block.widest_bytes));
  const auto tile = tile_of(block, width);
  if (!tile || !find_intrinsic(tile->intrinsic)) return illegal("no tiles of registers fit");
  const double cycles = elementwise_cycles(draft.func(), block, machine);
  // What whole tiles leave over stands behind them, and is in the way of whoever moves the loop
  // around: of two cuts the even one goes outside.
  Cut outside = tile->load, inside = tile->store;
  const auto is_even = [&](const Cut& cut) { return block.extents[cut.iter] % cut.count == 0; };
  if (!is_even(outside) && is_even(inside)) std::swap(outside, inside);
  const Draft::Names loops = TRY(draft.loops(block.name));
  Draft::Names around;
  std::int64_t chunks = 1;
  // A tile is too little to be handed out by itself: of the loops around, as few as give all
  // threads enough.
  std::size_t shared = 0;
  for (std::size_t iter = 0; iter < loops.size(); ++iter) {
    if (iter == outside.iter || iter == inside.iter) continue;
    around.push_back(loops[iter]);
    if (chunks < least_chunks) ++shared, chunks *= block.extents[iter];
  }
  const auto split = [&](const Cut& cut) {
    return draft.call("split", {Handle{loops[cut.iter]}, std::vector<std::int64_t>{-1, cut.count},
                                std::string("peel")});
  };
  Draft::Names order = around;
  order.insert(order.end(), {loops[outside.iter], loops[inside.iter]});
  if (order != loops) TRY_VOID(draft.reorder(order));
  const Draft::Names outer = TRY(split(outside));
  TRY_VOID(draft.reorder({outer[0], loops[inside.iter], outer[1]}));
  const Draft::Names inner = TRY(split(inside));
  TRY(draft.call("tensorize", {Handle{inner[1]}, tile->intrinsic}));
  around.resize(shared);
  if (chunks >= least_chunks) return parallelise(draft, around, cycles);
  if (is_even(outside)) around.push_back(outer[0]);
  else if (chunks < few_chunks) around = {outer[0]};
  return parallelise(draft, around, cycles);
}

}  // namespace loopglass::schedule
