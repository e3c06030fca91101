// Scripts with knobs, one for each kind of kernel, as AutoTVM's templates for x86 have them (Chen
// et al., 2018): how wide and how deep the tile of registers is, how the sum is cut, the order of
// the loops outside and of those that sum, how far the innermost is unrolled, and how many loops
// threads share.
#include "core/default_schedule/tile_plan.h"
#include "core/expr/rewrite.h"
#include "core/loop/annotations.h"
#include "core/tune/spaces/anchor.h"
#include "core/tune/spaces/spaces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace loopglass::tune {

namespace {

using schedule::Handle;
using Names = SketchWriter::Names;

constexpr std::int64_t most_vectors = 8, most_repeats = 28, longest_part = 64;
constexpr std::size_t most_ordered = 5;

enum class Packed : bool { No, Yes };

class TileTemplate {
 public:
  TileTemplate(SketchWriter& writer, const Anchor& anchor, Packed packed)
      : anchor_(anchor), packed_(packed), writer_(writer), tile_(anchor_) {}

  Result<void> write() {
    TRY_VOID(tile_.own_the_sum(writer_, "register"));
    loops_ = TRY(writer_.loops(anchor_.block.name));
    TRY_VOID(split_spatial());
    TRY_VOID(split_reductions());
    if (packed_ == Packed::Yes) TRY_VOID(pack());
    Names order = outer_;
    order.insert(order.end(), reductions_.begin(), reductions_.end());
    order.insert(order.end(), tile_loops_.begin(), tile_loops_.end());
    TRY(writer_.call("reorder", {handles(order)}));
    const Names mirrored =
        TRY(writer_.call("reverse_compute_at", {Handle{tile_.consumer()}, Handle{outer_.back()}}));
    const std::string init = TRY(writer_.call_for_one(
        "decompose_reduction", {Handle{anchor_.block.name}, Handle{reductions_[0]}}));
    TRY_VOID(tile_.shape(writer_, tile_.sum()));
    TRY_VOID(RegisterTile::finish(writer_, tile_loops_));
    TRY_VOID(RegisterTile::finish_like(writer_, tile_loops_, mirrored));
    TRY_VOID(RegisterTile::finish_inside(writer_, tile_loops_, init));
    TRY_VOID(order_and_unroll());
    TRY_VOID(share_with_threads());
    return {};
  }

 private:
  Result<Names> split(const std::string& loop, std::int64_t innermost) {
    const Handle factors = TRY(writer_.decide_tile(loop, 2, innermost));
    tiles_.emplace(loop, factors.name);
    return writer_.call("split", {Handle{loop}, factors});
  }

  Result<void> split_spatial() {
    std::string lanes, repeats;
    for (std::size_t a = 0; a < anchor_.block.axes.size(); ++a) {
      const std::string loop = loops_[anchor_.block.axes[a].iters[0]];
      if (a == anchor_.lanes_axis) {
        const Names parts = TRY(split(loop, most_vectors * anchor_.lanes));
        outer_.push_back(parts[0]);
        lanes = parts[1];
      } else if (a == anchor_.repeat_axis) {
        const Names parts = TRY(split(loop, most_repeats));
        outer_.push_back(parts[0]);
        repeats = parts[1];
      } else {
        outer_.push_back(loop);
      }
    }
    if (!repeats.empty()) tile_loops_.push_back(repeats);
    tile_loops_.push_back(lanes);
    return {};
  }

  // The longest of the sum's loops is cut in two: the short one innermost.
  Result<void> split_reductions() {
    const auto longest = std::ranges::max_element(
        anchor_.block.reductions, {}, [&](std::size_t r) { return anchor_.block.extents[r]; });
    const Names parts = TRY(split(loops_[*longest], longest_part));
    reductions_.push_back(parts[0]);
    for (const std::size_t r : anchor_.block.reductions)
      if (r != *longest) reductions_.push_back(loops_[r]);
    reductions_.push_back(parts[1]);
    return {};
  }

  // A constant that lanes walk along is laid out tile by tile.
  Result<void> pack() {
    const schedule::Axis& axis = anchor_.block.axes[anchor_.lanes_axis];
    const std::string factor = fmt::format("{{{}.1}}", tiles_.at(loops_[axis.iters[0]]));
    for (const schedule::Operand& operand : anchor_.block.operands) {
      const auto dimension = packable_dimension(operand, anchor_.block, axis);
      if (!dimension) continue;
      std::vector<std::string> names, terms;
      for (std::size_t d = 0; d < operand.indices.size(); ++d)
        names.push_back(fmt::format("d{}", d));
      terms.push_back(fmt::format("{}/{}", names[*dimension], factor));
      for (std::size_t d = 0; d < names.size(); ++d)
        if (d != *dimension) terms.push_back(names[d]);
      terms.push_back(fmt::format("{}%{}", names[*dimension], factor));
      TRY(writer_.call(
          "transform_layout",
          {operand.buffer, fmt::format("{} -> {}", fmt::join(names, " "), fmt::join(terms, " "))}));
    }
    return {};
  }

  Result<void> order_and_unroll() {
    if (reductions_.size() > 1 && reductions_.size() <= most_ordered) {
      const Handle order = TRY(writer_.decide("sum_order", "sample_order", {handles(reductions_)},
                                              "the loops that sum, the outermost first"));
      TRY(writer_.call("reorder", {std::vector<Handle>{order}}));
    }
    const Handle copies = TRY(writer_.decide_unroll({"1", "2", "4", "8"}));
    TRY(writer_.call("annotate",
                     {Handle{reductions_.back()}, std::string(loop::unroll_annotation), copies}));
    return {};
  }

  Result<void> share_with_threads() {
    Names moved = outer_;
    if (moved.size() > most_ordered) moved.erase(moved.begin(), moved.end() - most_ordered);
    if (moved.size() > 1) {
      const Handle order = TRY(writer_.decide("order", "sample_order", {handles(moved)},
                                              "the loops outside the tile, the outermost first"));
      TRY(writer_.call("reorder", {std::vector<Handle>{order}}));
      const Handle shared = TRY(writer_.decide_shared(order));
      TRY(writer_.call("parallel", {Handle{TRY(writer_.call_for_one("fuse", {shared}))}}));
    } else {
      TRY(writer_.call("parallel", {Handle{outer_[0]}}));
    }
    return {};
  }

  const Anchor& anchor_;
  const Packed packed_;
  SketchWriter& writer_;
  RegisterTile tile_;
  Names loops_, outer_, reductions_, tile_loops_;
  std::map<std::string, std::string> tiles_;  // the knob of each loop that is cut
};

std::string kind_of(const Anchor& anchor) {
  if (!anchor.has_reuse()) return "reduction";
  if (anchor.block.reductions.size() == 1) return "matmul";
  const auto summed_with_all =
      std::ranges::none_of(anchor.block.axes, [&](const schedule::Axis& axis) {
        return axis.extent > 1 && axis.steps[0] != 0 &&
               std::ranges::any_of(std::span(anchor.block.operands).subspan(1),
                                   [&](const schedule::Operand& operand) {
                                     return !operand.uses(axis.iters[0]) && !operand.constant;
                                   });
      });
  return summed_with_all ? "depthwise" : "conv";
}

bool can_be_packed(const Anchor& anchor) {
  return std::ranges::any_of(anchor.block.operands, [&](const schedule::Operand& operand) {
    return packable_dimension(operand, anchor.block, anchor.block.axes[anchor.lanes_axis])
        .has_value();
  });
}

}  // namespace

Result<Space> template_space(const Task& task) {
  Space space{"template", {}};
  const auto anchor = TRY(anchor_of(task));
  if (!anchor) return space;
  for (const Packed packed : {Packed::Yes, Packed::No}) {
    if (packed == Packed::Yes && !can_be_packed(*anchor)) continue;
    space.add(written_sketch(
        anchor->writer,
        [anchor, packed](SketchWriter& writer) {
          return TileTemplate(writer, *anchor, packed).write();
        },
        fmt::format("{}{}", kind_of(*anchor), packed == Packed::Yes ? ", packed" : ""),
        "a tile in registers, lanes innermost; the longest sum cut in two"));
  }
  return space;
}

}  // namespace loopglass::tune
