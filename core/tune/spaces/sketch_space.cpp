// Sketches derived from the nest by rules, every number in them sampled (Ansor: Zheng et al., OSDI
// 2020). For the kernel's main sum:
//
//   always inline       producers that are cheap to repeat (anchor.h)
//   multi-level tiling  SSRSRS: each spatial loop in four, each sum in two
//   fusion              its elementwise reader inside the first or the second level of tiles
//   cache write         where it has no such reader, the copy out of the tile's own buffer
//   rfactor             where it has few elements and many terms: partial sums for threads or lanes
//
// Two things are other than Ansor's. The sums of the innermost tile are registers by a primitive,
// since code generation keeps none there by itself: each run of the outer part of a sum is a
// partial sum, added to the tile after it (SSRSRS), or the sum is not cut (SSRS). And threads share
// the loops that the decision names, not as many as make a number of tasks.
#include "core/default_schedule/tile_plan.h"
#include "core/loop/annotations.h"
#include "core/tune/spaces/anchor.h"
#include "core/tune/spaces/spaces.h"

#include <fmt/format.h>

#include <algorithm>

namespace loopglass::tune {

namespace {

using schedule::Handle;
using Names = SketchWriter::Names;

constexpr std::int64_t longest_innermost = 64;  // of a loop's innermost part
constexpr std::int64_t most_of_others = 16;

struct Structure {
  bool cut_sums;  // SSRSRS; else SSRS
  int level;      // of tiles, that the reader or the copy is computed in: 1 or 2
};

class TiledSketch {
 public:
  TiledSketch(SketchWriter& writer, const Anchor& anchor, Structure structure)
      : anchor_(anchor), structure_(structure), writer_(writer), tile_(anchor_) {}

  Result<void> write() {
    const bool in_registers = !structure_.cut_sums && structure_.level == 2;
    TRY_VOID(tile_.own_the_sum(writer_, in_registers ? "register" : "stack"));
    loops_ = TRY(writer_.loops(anchor_.block.name));
    TRY_VOID(split_spatial());
    TRY_VOID(structure_.cut_sums ? split_sums() : keep_sums());
    TRY_VOID(in_registers ? write_one_tile() : write_two_tiles());
    TRY_VOID(annotate());
    return {};
  }

 private:
  std::size_t levels() const { return structure_.cut_sums ? 4 : 3; }

  // Level by level; the axis of lanes comes last in each, after that of the repeats.
  Result<void> split_spatial() {
    std::vector<std::size_t> axes;
    for (std::size_t a = 0; a < anchor_.block.axes.size(); ++a)
      if (a != anchor_.lanes_axis && a != anchor_.repeat_axis) axes.push_back(a);
    if (anchor_.repeat_axis) axes.push_back(*anchor_.repeat_axis);
    axes.push_back(anchor_.lanes_axis);
    space_.resize(levels());
    for (const std::size_t a : axes) {
      const std::string loop = loops_[anchor_.block.axes[a].iters[0]];
      if (anchor_.block.axes[a].extent == 1) {
        space_[0].push_back(loop);
        continue;
      }
      const bool lanes = a == anchor_.lanes_axis;
      const Handle factors = TRY(writer_.decide_tile(loop, static_cast<std::int64_t>(levels()),
                                                     lanes ? longest_innermost : most_of_others));
      const Names parts = TRY(writer_.call("split", {Handle{loop}, factors}));
      for (std::size_t level = 0; level < levels(); ++level) space_[level].push_back(parts[level]);
    }
    return {};
  }

  Result<void> split_sums() {
    for (const std::size_t r : anchor_.block.reductions) {
      const std::string loop = loops_[r];
      if (anchor_.block.extents[r] == 1) {
        inner_sums_.push_back(loop);
        continue;
      }
      const Handle factors = TRY(writer_.decide_tile(loop, 2, anchor_.block.extents[r]));
      const Names parts = TRY(writer_.call("split", {Handle{loop}, factors}));
      outer_sums_.push_back(parts[0]);
      inner_sums_.push_back(parts[1]);
    }
    return {};
  }

  Result<void> keep_sums() {
    for (const std::size_t r : anchor_.block.reductions) inner_sums_.push_back(loops_[r]);
    return {};
  }

  static void append(Names& names, const Names& more) {
    names.insert(names.end(), more.begin(), more.end());
  }

  // SSRS, all of the tile in registers.
  Result<void> write_one_tile() {
    Names order = space_[0];
    append(order, space_[1]);
    const std::string around = order.back();
    append(order, inner_sums_);
    append(order, space_[2]);
    TRY(writer_.call("reorder", {handles(order)}));
    const Names mirrored =
        TRY(writer_.call("reverse_compute_at", {Handle{tile_.consumer()}, Handle{around}}));
    const std::string init = TRY(writer_.call_for_one(
        "decompose_reduction", {Handle{anchor_.block.name}, Handle{inner_sums_[0]}}));
    TRY_VOID(tile_.shape(writer_, tile_.sum()));
    TRY_VOID(RegisterTile::finish(writer_, space_[2]));
    TRY_VOID(RegisterTile::finish_like(writer_, space_[2], mirrored));
    return RegisterTile::finish_inside(writer_, space_[2], init);
  }

  // Partial sums in registers, added to a tile that the cache has.
  Result<void> write_two_tiles() {
    Names order = space_[0];
    append(order, space_[1]);
    const std::string around = structure_.level == 1 ? space_[0].back() : order.back();
    for (const Names* level : {&outer_sums_, &space_[2], &inner_sums_, &space_[3]})
      append(order, *level);
    TRY(writer_.call("reorder", {handles(order)}));
    // A run of the sum's outer loops is one partial sum.
    const std::string run = TRY(writer_.call_for_one("fuse", {handles(outer_sums_)}));
    const std::string parts = TRY(writer_.call_for_one(
        "rfactor", {Handle{anchor_.block.name}, Handle{run}, std::int64_t{0}}));
    TRY(writer_.call("set_scope", {parts, std::string("register")}));
    const std::string tile_loop = space_[2].empty() ? run : space_[2].back();
    const Names added =
        TRY(writer_.call("reverse_compute_at", {Handle{anchor_.block.name}, Handle{tile_loop}}));
    const Names mirrored =
        TRY(writer_.call("reverse_compute_at", {Handle{tile_.consumer()}, Handle{around}}));
    const std::string partial_init =
        TRY(writer_.call_for_one("decompose_reduction", {Handle{parts}, Handle{inner_sums_[0]}}));
    const std::string init =
        TRY(writer_.call_for_one("decompose_reduction", {Handle{anchor_.block.name}, Handle{run}}));
    TRY_VOID(tile_.shape(writer_, tile_.sum()));
    TRY_VOID(tile_.shape(writer_, parts, "p"));
    const Names& tile = space_[3];
    TRY_VOID(RegisterTile::finish(writer_, tile));
    TRY_VOID(RegisterTile::finish_inside(writer_, tile, partial_init));
    // What follows the partial sums is added up by their loops; the other two walk the larger tile.
    TRY_VOID(RegisterTile::finish_like(writer_, tile, added));
    const Names lanes{tile.back()};
    if (!writer_.turning(lanes).empty()) {
      TRY(writer_.call("vectorize", {Handle{last_of(mirrored)}}));
      TRY_VOID(RegisterTile::finish_inside(writer_, lanes, init));
    }
    return {};
  }

  // Of the loops that follow a tile's, the last: others may come behind, which are the reader's
  // own.
  std::string last_of(const Names& mirrored) const {
    Names own = space_[2];
    append(own, space_[3]);
    if (structure_.level == 1) append(own, space_[1]);
    return mirrored[std::min(mirrored.size(), writer_.turning(own).size()) - 1];
  }

  // Ansor's pragmas: how far to unroll, and what threads share.
  Result<void> annotate() {
    const Handle copies = TRY(writer_.decide_unroll({"1", "2", "4", "16"}));
    TRY(writer_.call("annotate",
                     {Handle{inner_sums_.back()}, std::string(loop::unroll_annotation), copies}));
    const Handle shared = TRY(writer_.decide_shared(handles(space_[0])));
    TRY(writer_.call("parallel", {Handle{TRY(writer_.call_for_one("fuse", {shared}))}}));
    return {};
  }

  const Anchor& anchor_;
  const Structure structure_;
  SketchWriter& writer_;
  RegisterTile tile_;
  Names loops_;
  std::vector<Names> space_;  // loops of each level
  Names outer_sums_, inner_sums_;
};

// Few elements and many terms: lanes sum for themselves, and blocks of terms do.
class PartialSums {
 public:
  PartialSums(SketchWriter& writer, const Anchor& anchor) : anchor_(anchor), writer_(writer) {}

  Result<void> write() {
    const Names loops = TRY(writer_.loops(anchor_.block.name));
    Names summed;
    for (const std::size_t r : anchor_.block.reductions) summed.push_back(loops[r]);
    const std::string sum = TRY(writer_.call_for_one("fuse", {handles(summed)}));
    const Handle factors = TRY(writer_.decide_tile(sum, 2, 8 * anchor_.lanes));
    const Names parts = TRY(writer_.call("split", {Handle{sum}, factors}));
    const std::string partial = TRY(
        writer_.call_for_one("rfactor", {Handle{anchor_.block.name}, Handle{parts[1]},
                                         static_cast<std::int64_t>(anchor_.block.axes.size())}));
    TRY(writer_.call("set_scope", {partial, std::string("register")}));
    Names outer;
    for (const schedule::Axis& axis : anchor_.block.axes) outer.push_back(loops[axis.iters[0]]);
    TRY(writer_.call("reverse_compute_at", {Handle{anchor_.block.name}, Handle{outer.back()}}));
    const std::string init =
        TRY(writer_.call_for_one("decompose_reduction", {Handle{partial}, Handle{parts[0]}}));
    TRY_VOID(RegisterTile::finish(writer_, {parts[1]}));
    TRY_VOID(RegisterTile::finish_inside(writer_, {parts[1]}, init));
    const Handle copies = TRY(writer_.decide_unroll({"1", "2", "4", "8"}));
    TRY(writer_.call("annotate", {Handle{parts[0]}, std::string(loop::unroll_annotation), copies}));
    const Handle shared = TRY(writer_.decide_shared(handles(outer)));
    TRY(writer_.call("parallel", {Handle{TRY(writer_.call_for_one("fuse", {shared}))}}));
    return {};
  }

 private:
  const Anchor& anchor_;
  SketchWriter& writer_;
};

}  // namespace

Result<Space> sketch_space(const Task& task) {
  Space space{"sketch", {}};
  const auto anchor = TRY(anchor_of(task));
  if (!anchor) return space;
  const std::string end = anchor->epilogue ? "fusion" : "cache write";
  const auto add_tiled = [&](Structure structure) {
    space.add(written_sketch(
        anchor->writer,
        [anchor, structure](SketchWriter& writer) {
          return TiledSketch(writer, *anchor, structure).write();
        },
        fmt::format("{}, {} at level {}", structure.cut_sums ? "SSRSRS" : "SSRS", end,
                    structure.level),
        fmt::format("always inline, multi-level tiling, {}", end)));
  };
  if (anchor->has_reuse()) {
    add_tiled({true, 2});
    add_tiled({true, 1});
    add_tiled({false, 2});
    return space;
  }
  add_tiled({false, 2});
  space.add(written_sketch(
      anchor->writer,
      [anchor](SketchWriter& writer) { return PartialSums(writer, *anchor).write(); }, "rfactor",
      "always inline, rfactor"));
  return space;
}

}  // namespace loopglass::tune
