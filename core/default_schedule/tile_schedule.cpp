// Reductions in tiles: convolutions, matrix products, pooling, sums.
//
//   outer tiles (parallel) | initial values | reduction loops | repeats (unrolled) | lanes
//   (vectorized)
//                          | the consumer on the same tile
//
// or, where an operand comes from memory for few tiles (streaming.h), blocks of it outside of
// those:
//
//   far tiles (parallel) | initial values | blocks of the sum | near tiles | a block's sum in the
//   tile
//                                                                          | added to the sums so
//                                                                          far
//                        | the consumer on all near tiles
//
// or, where an image is copied first and is far more than a cache holds, bands of the copy inside:
//
//   bands (parallel) | a band of the copy | tiles as above
#include "core/default_schedule/tile_schedule.h"

#include "core/default_schedule/hint_place.h"
#include "core/default_schedule/packing.h"
#include "core/default_schedule/rules.h"
#include "core/default_schedule/sum_blocks.h"
#include "core/default_schedule/term_copies.h"
#include "core/default_schedule/tile_layouts.h"
#include "core/default_schedule/turned_tile.h"
#include "core/expr/rewrite.h"
#include "core/loop/annotations.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/loop/path.h"
#include "core/schedule/initial_block.h"
#include "core/support/ceil_div.h"

#include <fmt/core.h>

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Names = Draft::Names;

class TileWriter {
 public:
  TileWriter(Draft& draft, const TileSchedule& wanted)
      : draft_(draft),
        block_(wanted.block),
        choice_(wanted.choice),
        streaming_(wanted.streaming),
        turning_(wanted.turning),
        band_(wanted.band),
        plan_(wanted.choice.plan),
        machine_(wanted.machine),
        lanes_(wanted.machine.lanes(wanted.block.widest_bytes)) {}

  Result<void> write(const std::optional<std::string>& epilogue) {
    if (const Block* initial =
            initial_block_of(draft_.func(), TRY(find_block(draft_.func(), block_.name)).block()))
      initial_ = initial->name;
    TRY_VOID(own_the_sum(epilogue));
    TRY_VOID(cut_into_blocks());
    TRY_VOID(pack());
    TRY_VOID(tile());
    const std::string around = is_in_blocks() ? shared_.back() : outer_.back();
    Names added;
    if (!blocks_.empty())
      added = TRY(draft_.reverse_compute_at(block_.name, is_in_blocks() ? outer_.back() : blocks_));
    Names set;
    if (!initial_.empty()) set = TRY(draft_.compute_at(initial_, around));
    Names turned;
    if (!turned_.empty()) turned = TRY(draft_.reverse_compute_at(turned_, around));
    const Names mirrored = TRY(draft_.reverse_compute_at(consumer_, around));
    const std::string init =
        initial_.empty() ? TRY(draft_.decompose_reduction(summing_, reductions_[0])) : initial_;
    const std::int64_t copies =
        choice_.unroll > 0 ? choice_.unroll
                           : usual_copies(block_, plan_, machine_, extent_of_loop(innermost_));
    // Else LLVM chooses, which is not one copy where one is asked for.
    if (choice_.unroll > 0 || copies > 1 || is_crowded())
      TRY_VOID(draft_.annotate(innermost_, unroll_annotation, fmt::format("{}", copies)));
    TRY_VOID(lay_out(sum_, layout_of_sums(block_, plan_)));
    if (!turned_.empty())
      TRY_VOID(lay_out(only_store(TRY(find_block(draft_.func(), turned_)).block())->buffer,
                       layout_of_turned(block_, plan_)));
    TRY_VOID(finish_tile(tile_loops_));
    TRY_VOID(is_in_blocks() ? finish_whole_consumer(mirrored)
             : turning_     ? finish_turned_consumer(turned, mirrored)
                            : finish_consumer(mirrored));
    TRY_VOID(initial_.empty() ? finish_init(init) : finish_set(set));
    if (!blocks_.empty()) {
      TRY_VOID(lay_out(summing_, layout_of_sums(block_, plan_, "p")));
      TRY_VOID(finish_tile(added));
      TRY_VOID(finish_init(TRY(draft_.decompose_reduction(block_.name, blocks_))));
    }
    if (streaming_.way != Streaming::Way::Not)
      TRY_VOID(draft_.prefetch(streaming_.buffer, streamed_loop(), hinting_loop(hinted_tile())));
    if (band_) {
      if (band_->maker.empty()) return parallelise_bands(draft_, bands_);
      TRY_VOID(bring_band_near(draft_, block_, band_->maker, bands_.back(), machine_));
      return parallelise(draft_, bands_, plan_.cycles);
    }
    const bool near = TRY(bring_copies_near(draft_, block_, batch_, machine_));
    return parallelise(draft_,
                       near             ? batch_.names
                       : is_in_blocks() ? shared_
                                        : outer_,
                       plan_.cycles);
  }

 private:
  const Axis* vector() const {
    return plan_.vector_axis ? &block_.axes[*plan_.vector_axis] : nullptr;
  }
  const Axis* repeat() const {
    return plan_.repeat_axis ? &block_.axes[*plan_.repeat_axis] : nullptr;
  }

  bool is_in_blocks() const { return streaming_.way == Streaming::Way::Blocks; }
  const std::string& streamed_loop() const {
    switch (streaming_.way) {
      case Streaming::Way::Blocks: return blocks_;
      case Streaming::Way::Rounds: return round_;
      default: return far_tile_;
    }
  }

  // The sum goes to registers, or to a cache between the blocks of one: its buffer if only the
  // consumer in the tile reads it, else one before it.
  Result<void> own_the_sum(const std::optional<std::string>& epilogue) {
    const std::string scope = is_in_blocks() ? "stack" : "register";
    if (epilogue) {
      consumer_ = *epilogue;
      sum_ = block_.buffer;
      TRY_VOID(draft_.set_scope(sum_, scope));
      if (turning_) turned_ = TRY(draft_.cache_read(consumer_, sum_, "stack"));
      return {};
    }
    consumer_ = TRY(draft_.cache_write(block_.name, scope));
    sum_ = only_store(TRY(find_block(draft_.func(), block_.name)).block())->buffer;
    return {};
  }

  Result<void> pack() {
    std::set<std::string> packed;
    for (const Operand& operand : block_.operands) {
      if (operand.is_store || packed.contains(operand.buffer)) continue;
      for (const auto& [axis, factor] :
           {std::pair{vector(), plan_.vector_length}, {repeat(), plan_.repeats}}) {
        const auto dimension = axis ? packable_dimension(operand, block_, *axis) : std::nullopt;
        if (!dimension || !packed.insert(operand.buffer).second) continue;
        if (!operand.packed_indices.empty()) {
          if (!lies_in_tiles(operand, *axis, factor, block_, draft_.func()))
            return fail(Code::ScheduleIllegal,
                        fmt::format("'{}' is packed in other tiles", operand.buffer));
          continue;
        }
        TRY_VOID(draft_.transform_layout(operand.buffer,
                                         packing_map(operand, block_, *dimension, factor, walk_)));
      }
    }
    return {};
  }

  // The loops over terms from the outermost on, which are as they were but for a pair of terms.
  Result<std::vector<std::size_t>> order_terms() {
    std::vector<std::size_t> reductions = block_.reductions;
    const auto pair = shared_pair_of_terms(block_, plan_, machine_);
    if (!pair || is_in_blocks()) return reductions;
    const auto at = reductions.begin() + static_cast<std::ptrdiff_t>(*pair);
    std::rotate(reductions.begin(), at, at + 1);
    Names order;
    for (const std::size_t r : reductions) order.push_back(loops_[r]);
    TRY_VOID(draft_.reorder(order));
    return reductions;
  }

  // A long sum is taken in blocks: the tile of sums in registers is that of one block, and is added
  // to the sums so far after each.
  Result<void> cut_into_blocks() {
    loops_ = TRY(draft_.loops(block_.name));
    summing_ = block_.name;
    // Partial sums of what may have no terms would begin with what another block sets.
    const std::int64_t length = choice_.run > 0 ? choice_.run : run_length;
    const std::vector<std::size_t> reductions = TRY(order_terms());
    std::vector<SummedLoop> summed;
    for (const std::size_t r : reductions) summed.push_back({loops_[r], block_.extents[r]});
    std::optional<CutLoops> cut;
    if (initial_.empty())
      cut = TRY(is_in_blocks()
                    ? cut_around_window(draft_, summed, reductions, length, walk_)
                    : cut_loops(draft_, summed,
                                choice_.run > 0 ? length : longest_run_of(block_.store().type),
                                length));
    if (walk_.empty())
      for (const std::size_t r : reductions) walk_.push_back({r});
    for (const SummedLoop& loop : cut ? cut->inner : summed) {
      reductions_.push_back(loop.variable);
      if (long_.empty() || loop.extent > widest_window) long_ = loop.variable;
      if (loop.extent == 1) continue;
      innermost_ = loop.variable;
      ++turns_;
    }
    if (innermost_.empty()) innermost_ = reductions_.back();
    if (!cut && is_in_blocks())
      return fail(Code::ScheduleIllegal, fmt::format("'{}' has no blocks", block_.name));
    if (!cut) return {};
    blocks_ = cut->outer;
    summing_ = TRY(draft_.rfactor(block_.name, blocks_, 0));
    return draft_.set_scope(summing_, "register");
  }

  // LLVM unrolls a short loop inside another, and keeps what two of its iterations read in
  // registers, which a tile that nearly fills them has not got: 6 x 2 vectors of a 3 x 3
  // convolution took twice as long, with 16 registers.
  bool is_crowded() const { return turns_ > 1 && is_tight(block_, plan_, machine_); }
  std::int64_t vectors() const { return vector() ? ceil_div(plan_.vector_length, lanes_) : 1; }

  HintedTile hinted_tile() const {
    HintedTile tile{.loops = {},
                    .streamed = streamed_loop(),
                    .innermost_tiles = outer_.back(),
                    .innermost_terms = innermost_,
                    .long_terms = long_,
                    .vectors_of_sums = vectors() * plan_.repeats,
                    .is_crowded = is_crowded(),
                    .bytes_of_term = {}};
    for (const std::string& loop : order_)
      tile.loops.push_back(
          {loop, extent_of_loop(loop),
           loop == blocks_ || std::ranges::find(reductions_, loop) != reductions_.end()});
    const auto operand = std::ranges::find(block_.operands, streaming_.buffer, &Operand::buffer);
    if (operand != block_.operands.end() && operand->constant)
      tile.bytes_of_term = (plan_.vector_outside ? plan_.vector_length : plan_.repeats) *
                           static_cast<std::int64_t>(byte_size(operand->type));
    return tile;
  }

  Result<void> tile() {
    const Names& loops = loops_;
    Names vector_side, repeat_side;
    std::string lanes, copies;
    const Side near_side = plan_.vector_outside ? Side::Repeat : Side::Vector;
    std::int64_t around = plan_.around;
    for (std::size_t a = 0; a < block_.axes.size(); ++a) {
      const Axis& axis = block_.axes[a];
      Names parts;
      for (const std::size_t iter : axis.iters) parts.push_back(loops[iter]);
      std::string loop = TRY(draft_.fuse(parts));
      if (plan_.vector_axis == a) {
        const Names pieces = TRY(
            draft_.split(TRY(without_bands(loop, axis)),
                         plan_.holds_repeats ? std::vector<std::int64_t>{-1, vectors(), lanes_}
                                             : std::vector<std::int64_t>{-1, plan_.vector_length}));
        vector_tile_ = pieces.front();
        if (plan_.holds_repeats) tile_loops_.push_back(pieces[1]);
        lanes = pieces.back();
      } else if (plan_.repeat_axis == a) {
        const Names halves = TRY(draft_.split(TRY(without_bands(loop, axis)), {-1, plan_.repeats}));
        repeat_tile_ = halves[0];
        copies = halves[1];
      } else {
        const Side side = side_of(block_, plan_, a);
        if (walks_images(axis)) {
          bands_.push_back(loop);
          if (side == near_side) around = std::max<std::int64_t>(around - 1, 0);
          continue;
        }
        loop = TRY(without_bands(loop, axis));
        (side == Side::Both     ? batch_.names
         : side == Side::Vector ? vector_side
                                : repeat_side)
            .push_back(loop);
        if (side == Side::Both)
          batch_.iters.insert(batch_.iters.end(), axis.iters.begin(), axis.iters.end());
      }
    }
    if (!vector_tile_.empty()) vector_side.push_back(vector_tile_);
    if (!repeat_tile_.empty()) repeat_side.push_back(repeat_tile_);
    outer_ = bands_;
    const auto append = [&](const Names& names) {
      outer_.insert(outer_.end(), names.begin(), names.end());
    };
    append(batch_.names);
    Names& far = plan_.vector_outside ? vector_side : repeat_side;
    Names& near = plan_.vector_outside ? repeat_side : vector_side;
    append({near.begin(), near.begin() + around});
    for (const std::string& loop : outer_)
      if (is_turning(loop)) round_ = loop;
    near.erase(near.begin(), near.begin() + around);
    const Names together = TRY(grouped(far));
    append(far);
    shared_ = outer_;
    append(near);
    append(together);
    if (!copies.empty()) tile_loops_.push_back(copies);
    if (!lanes.empty()) tile_loops_.push_back(lanes);
    for (const std::string& loop : far)
      if (is_turning(loop)) far_tile_ = loop;

    Names order = outer_;
    if (!blocks_.empty())
      order.insert(is_in_blocks() ? order.begin() + std::ssize(shared_) : order.end(), blocks_);
    order.insert(order.end(), reductions_.begin(), reductions_.end());
    order_ = order;
    order.insert(order.end(), tile_loops_.begin(), tile_loops_.end());
    return draft_.reorder(order);
  }

  // The loop, or, where it walks through bands or along them, that inside of one.
  Result<std::string> without_bands(const std::string& loop, const Axis& axis) {
    const auto iter = band_ ? lone_iteration(axis, block_) : std::nullopt;
    if (!iter || (iter != band_->row && iter != band_->column)) return loop;
    const Names halves =
        TRY(draft_.split(loop, {-1, iter == band_->row ? band_->rows : band_->columns}));
    bands_.push_back(halves[0]);
    return halves[1];
  }
  bool walks_images(const Axis& axis) const {
    const auto iter = band_ ? lone_iteration(axis, block_) : std::nullopt;
    return iter && std::ranges::find(band_->images, *iter) != band_->images.end();
  }

  std::int64_t extent_of_loop(const std::string& name) const {
    const auto path = find_loop(draft_.func(), name);
    return path ? expr::as_integer(path->loop().extent).value_or(1) : 1;
  }
  bool is_turning(const std::string& loop) const {
    const auto path = find_loop(draft_.func(), loop);
    return path && expr::as_integer(path->loop().extent) != 1;
  }

  // Takes a few tiles of the side that turns slowly inside the other side's loops, so that what one
  // of those reads is read for all of them while it is near.
  Result<Names> grouped(Names& side) {
    if (choice_.group <= 1) return Names{};
    if (side.empty())
      return fail(Code::ScheduleIllegal,
                  fmt::format("'{}' has no loop to take tiles of together", block_.name));
    const Names halves = TRY(draft_.split(side.back(), {-1, choice_.group}));
    side.back() = halves[0];
    return Names{halves[1]};
  }

  Result<void> lay_out(const std::string& buffer, const std::optional<std::string>& map) {
    return map ? draft_.transform_layout(buffer, *map) : Result<void>();
  }

  Result<void> finish_consumer(const Names& loops) {
    if (loops.size() > tile_loops_.size() &&
        TRY(vectorize_along_memory(draft_, consumer_, loops, lanes_)))
      return {};
    const auto tile_end = loops.begin() + static_cast<std::ptrdiff_t>(tile_loops_.size());
    return finish_tile({loops.begin(), tile_end});
  }

  // Along the repeats, of a tile that is turned before, or, where it is a copy, turned by it.
  Result<void> finish_turned_consumer(Names turned, Names loops) {
    drop_single_turns(turned);
    drop_single_turns(loops);
    if (loops.size() != tile_loops_.size() ||
        !walks_along_memory(draft_.func(), TRY(find_block(draft_.func(), consumer_)), loops[0]))
      return fail(Code::ScheduleIllegal,
                  fmt::format("what '{}' stores does not lie along the repeats", consumer_));
    if (turned.empty()) return turn_tile(draft_, loops, plan_, *turning_);
    TRY_VOID(turn_tile(draft_, turned, plan_, *turning_));
    TRY_VOID(draft_.reorder({loops[1], loops[0]}));
    return draft_.vectorize(loops[0]);
  }

  // Of loops beyond the tile's, as over a batch of one image.
  void drop_single_turns(Names& loops) const {
    while (loops.size() > tile_loops_.size() && !is_turning(loops.back())) loops.pop_back();
  }

  // Of all near tiles, along the lanes, which have to lie side by side.
  Result<void> finish_whole_consumer(Names loops) {
    const Path path = TRY(find_block(draft_.func(), consumer_));
    const auto lanes = std::ranges::find_if(loops, [&](const std::string& loop) {
      return walks_along_memory(draft_.func(), path, loop);
    });
    if (lanes == loops.end())
      return fail(Code::ScheduleIllegal,
                  fmt::format("what '{}' stores does not lie along the lanes", consumer_));
    if (lanes + 1 != loops.end()) {
      std::rotate(lanes, lanes + 1, loops.end());
      TRY_VOID(draft_.reorder(loops));
    }
    return draft_.vectorize(loops.back());
  }

  Result<void> finish_init(const std::string& init) {
    const Names loops = TRY(draft_.loops(init));
    return finish_tile(
        {loops.end() - static_cast<std::ptrdiff_t>(tile_loops_.size()), loops.end()});
  }

  // Loops of a block that sets the sum go along the dimensions of its buffer.
  Result<void> finish_set(const Names& loops) {
    Names tile;
    for (const Axis* axis : {repeat(), vector()}) {
      if (!axis) continue;
      const auto iter = lone_iteration(*axis, block_);
      for (std::size_t d = 0; iter && d < block_.store().indices.size(); ++d)
        if (const auto* walked = block_.store().indices[d].as<expr::Variable>();
            walked && walked->name == block_.iter_names[*iter])
          tile.push_back(loops[d]);
    }
    if (std::ssize(tile) != (repeat() ? 1 : 0) + (vector() ? 1 : 0))
      return fail(Code::ScheduleIllegal,
                  fmt::format("a tile of '{}' goes along several dimensions", block_.name));
    Names order;
    std::ranges::copy_if(loops, std::back_inserter(order), [&](const std::string& loop) {
      return std::ranges::find(tile, loop) == tile.end();
    });
    if (plan_.holds_repeats) {
      const Names pieces = TRY(draft_.split(tile.back(), {vectors(), lanes_}));
      tile = {pieces[0], tile.front(), pieces[1]};
    }
    order.insert(order.end(), tile.begin(), tile.end());
    if (order.size() > 1) TRY_VOID(draft_.reorder(order));
    return finish_tile(tile);
  }

  Result<void> finish_tile(const Names& loops) {
    std::size_t next = 0;
    if (plan_.holds_repeats) TRY_VOID(draft_.unroll(loops[next++]));
    if (repeat()) TRY_VOID(draft_.unroll(loops[next++]));
    if (vector()) TRY_VOID(draft_.vectorize(loops[next]));
    return {};
  }

  Draft& draft_;
  const BlockAnalysis& block_;
  const TileChoice& choice_;
  const Streaming& streaming_;
  const Intrinsic* turning_;
  const std::optional<Band>& band_;
  const TilePlan& plan_;
  const Machine& machine_;
  const std::int64_t lanes_;
  std::string consumer_, sum_, vector_tile_, repeat_tile_;
  std::string turned_;   // the block that turns the tile; empty: the consumer does, or nobody
  std::string initial_;  // the block that sets what the sum goes on from; empty: it does so itself
  std::string long_;     // the innermost of the loops over terms that are no window's
  std::string innermost_;         // of the loops over terms that turn more than once
  int turns_ = 0;                 // how many these are
  std::string summing_, blocks_;  // the block in the tile; the loop over blocks, where a sum is cut
  Names bands_;                   // loops over images and bands of rows, outside of all others
  OuterLoops batch_;              // that all operands turn with
  std::vector<Walked> walk_;      // what is reduced, as constants are laid out for it
  Names loops_, outer_, reductions_, tile_loops_;
  Names order_;           // of all loops around a tile, from outside
  Names shared_;          // of the outer ones, those that blocks of the sum are inside of
  std::string far_tile_;  // of the side that turns slower, the innermost that does
  std::string round_;     // the same of those that go around both sides
};

}  // namespace

Result<void> write_tiles(Draft& draft, const TileSchedule& wanted,
                         const std::optional<std::string>& epilogue) {
  return TileWriter(draft, wanted).write(epilogue);
}

}  // namespace loopglass::schedule
