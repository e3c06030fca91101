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
#include <vector>

namespace loopglass::schedule {

using namespace loop;

namespace {

constexpr std::int64_t least_chunks = 32;  // enough for threads to share evenly

// A tile: so many iterations of two, one along which what is stored lies side by side, and one
// along which what is read does.
struct Tile {
  std::size_t store = 0, load = 0;
  std::int64_t stores = 0, loads = 0;
  std::string intrinsic;
};

// Whole tiles only.
std::optional<Tile> tile_of(const BlockAnalysis& block, std::int64_t width) {
  constexpr std::int64_t colours = 3;
  const Operand &store = block.store(), &load = block.operands[1];
  const auto holds = [&](std::size_t iter, std::int64_t count) {
    return block.extents[iter] >= count && block.extents[iter] % count == 0;
  };
  for (std::size_t s = 0; s < block.extents.size(); ++s)
    for (std::size_t l = 0; l < block.extents.size(); ++l) {
      if (s == l || store.steps[s] != 1 || load.steps[l] != 1 || !holds(l, width)) continue;
      if (holds(s, width)) return Tile{s, l, width, width, fmt::format("transpose_{0}x{0}", width)};
      if (block.extents[s] == colours && store.steps[l] == colours)
        return Tile{s, l, colours, width, fmt::format("interleave_{}x{}", colours, width)};
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
  const Draft::Names loops = TRY(draft.loops(block.name));
  Draft::Names outer, inner;
  std::vector<std::int64_t> turns;  // of `outer`
  for (std::size_t iter = 0; iter < loops.size(); ++iter) {
    const bool is_stored = iter == tile->store, is_loaded = iter == tile->load;
    const std::int64_t count = is_stored ? tile->stores : is_loaded ? tile->loads : 1;
    turns.push_back(block.extents[iter] / count);
    Draft::Names parts{loops[iter]};
    if (is_stored || is_loaded) {
      parts = TRY(draft.split(loops[iter], {-1, count}));
      inner.push_back(parts[1]);
    }
    outer.push_back(parts[0]);
  }
  Draft::Names order = outer;
  order.insert(order.end(), inner.begin(), inner.end());
  TRY_VOID(draft.reorder(order));
  TRY(draft.call("tensorize", {Handle{inner.front()}, tile->intrinsic}));
  // A tile is too little to be handed out by itself: of the loops around, as few as give all
  // threads enough.
  std::int64_t chunks = 1;
  std::size_t shared = 0;
  while (shared < outer.size() && chunks < least_chunks) chunks *= turns[shared++];
  outer.resize(shared);
  return parallelise(draft, outer, cycles);
}

}  // namespace loopglass::schedule
