#include "core/default_schedule/tile_order.h"

#include "core/default_schedule/cycle_costs.h"
#include "core/support/ceil_div.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace loopglass::schedule {

namespace {

// What fetching a byte again costs, of fetching it from memory, by what caches it may be in still.
constexpr double from_second_cache = 0.25, from_third_cache = 0.6;
// What jumps, nobody fetches in advance; measured with AVX2 where others used the third cache. With
// 3 x 3 windows from 96 to 24 channels of 160 x 160 pixels in planes (one thread, medians of
// seven), the image walked once a tile of channels takes 37 ms, row by row 23, and all channels of
// a tile of pixels together 20.
constexpr double jumping_costs = 2;
// An order with loops around both sides has to fetch less by so much: threads are handed pieces
// that share less.
constexpr double worth_going_around = 0.9;

Side near_side(const TilePlan& plan) { return plan.vector_outside ? Side::Repeat : Side::Vector; }

std::size_t cut_axis(const TilePlan& plan, Side side) {
  return side == Side::Vector ? *plan.vector_axis : *plan.repeat_axis;
}

// Of a side, outermost first, without the one that tiles are cut from.
std::vector<std::size_t> whole_axes(const BlockAnalysis& block, const TilePlan& plan, Side side) {
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < block.axes.size(); ++a)
    if (a != plan.vector_axis && a != plan.repeat_axis && side_of(block, plan, a) == side)
      axes.push_back(a);
  return axes;
}

bool fits(double bytes, const Machine::Cache& cache) {
  return bytes <= static_cast<double>(cache.bytes) / 2;
}

class Counting {
 public:
  Counting(const BlockAnalysis& block, const TilePlan& plan, const Machine& machine)
      : block_(block),
        plan_(plan),
        machine_(machine),
        near_(near_side(plan)),
        far_(near_ == Side::Vector ? Side::Repeat : Side::Vector),
        around_(whole_axes(block, plan, near_)),
        far_tiles_(static_cast<double>(extent_of(block, plan, far_).tiles)) {
    around_.resize(static_cast<std::size_t>(plan.around));
    for (const std::size_t axis : around_) rounds_ *= static_cast<double>(block.axes[axis].extent);
  }

  double fetched() const {
    return std::max(far_bytes(), rounds_ * again(far_, {})) +
           rounds_ * std::max(near_bytes(), far_tiles_ * again(near_, around_));
  }

  double jumping() const {
    double bytes = 0;
    for (std::size_t o = 1; o < block_.operands.size(); ++o) {
      if (!jumps(block_, o)) continue;
      if (moves(far_, o) && !fits(far_bytes(), machine_.l3)) bytes += (rounds_ - 1) * far_bytes();
      if (moves(near_, o) && !fits(near_bytes(), machine_.l3))
        bytes += rounds_ * (far_tiles_ - 1) * near_bytes();
    }
    return bytes;
  }

 private:
  double far_bytes() const { return bytes_of(far_, {}); }
  double near_bytes() const { return bytes_of(near_, around_); }
  // What it costs to go through a side's bytes once more.
  double again(Side side, const std::vector<std::size_t>& fixed) const {
    const double bytes = bytes_of(side, fixed);
    double weighed = 0;
    for (std::size_t o = 1; o < block_.operands.size(); ++o)
      if (moves(side, o))
        weighed += lines_of(block_.operands[o], fixed) * (jumps(block_, o) ? jumping_costs : 1);
    return weighed * (fits(bytes, machine_.l2)   ? from_second_cache
                      : fits(bytes, machine_.l3) ? from_third_cache
                                                 : 1);
  }

  bool moves(Side side, std::size_t operand) const {
    return block_.axes[cut_axis(plan_, side)].steps[operand] != 0;
  }

  // Of the operands that move with a side's tiles, while these axes stand still.
  double bytes_of(Side side, const std::vector<std::size_t>& fixed) const {
    double bytes = 0;
    for (std::size_t o = 1; o < block_.operands.size(); ++o)
      if (moves(side, o)) bytes += lines_of(block_.operands[o], fixed);
    return bytes;
  }

  // Whole lines: as many as elements are read, but no more than lie between the first and the last.
  double lines_of(const Operand& operand, const std::vector<std::size_t>& fixed) const {
    std::vector<bool> stands_still(block_.extents.size(), false);
    for (const std::size_t axis : fixed)
      for (const std::size_t iter : block_.axes[axis].iters) stands_still[iter] = true;
    const auto size = static_cast<double>(byte_size(operand.type));
    double read = 1, reach = 1;
    bool is_regular = true;
    std::int64_t least = 0;  // step
    for (std::size_t i = 0; i < block_.extents.size(); ++i) {
      if (stands_still[i] || !operand.uses(i)) continue;
      read *= static_cast<double>(block_.extents[i]);
      const std::int64_t step = std::abs(operand.steps[i].value_or(0));
      is_regular = is_regular && operand.steps[i].has_value();
      reach += static_cast<double>(step * (block_.extents[i] - 1));
      if (block_.extents[i] > 1 && (least == 0 || step < least)) least = step;
    }
    if (!is_regular || operand.constant) return read * size;
    const double apart = std::min(static_cast<double>(line_bytes),
                                  static_cast<double>(std::max<std::int64_t>(least, 1)) * size);
    return std::min(read * apart, reach * size);
  }

  const BlockAnalysis& block_;
  const TilePlan& plan_;
  const Machine& machine_;
  const Side near_, far_;
  std::vector<std::size_t> around_;  // axes of the near side that go around both
  double rounds_ = 1;                // of those
  const double far_tiles_;
};

}  // namespace

SideExtent extent_of(const BlockAnalysis& block, const TilePlan& plan, Side side) {
  const std::size_t cut = cut_axis(plan, side);
  const std::int64_t length = block.axes[cut].extent;
  SideExtent extent{ceil_div(length, side == Side::Vector ? plan.vector_length : plan.repeats),
                    length};
  std::int64_t around = side == near_side(plan) ? plan.around : 0;
  for (const std::size_t axis : whole_axes(block, plan, side)) {
    if (around-- > 0) continue;
    extent.tiles *= block.axes[axis].extent;
    extent.elements *= block.axes[axis].extent;
  }
  return extent;
}

// Of constants, which are laid out as they are walked, no terms lie apart, and those of a window do
// not lie far apart.
bool jumps(const BlockAnalysis& block, std::size_t operand) {
  const Operand& read = block.operands[operand];
  const auto inner = std::find_if(block.reductions.rbegin(), block.reductions.rend(),
                                  [&](std::size_t r) { return block.extents[r] > widest_window; });
  if (inner == block.reductions.rend() || read.constant) return false;
  const auto step = read.steps[*inner];
  return step && std::abs(*step) * static_cast<std::int64_t>(byte_size(read.type)) >= line_bytes;
}

double cycles_of_jumping_byte(const Machine& machine) {
  return machine.strided_penalty * third_cache / machine.l2_bytes_per_cycle();
}

bool is_beyond_caches(const Operand& operand, const Machine& machine) {
  return !fits(static_cast<double>(bytes_of(operand)), machine.l3);
}

double jumping_bytes(const TilePlan& plan, const BlockAnalysis& block, const Machine& machine) {
  return plan.vector_axis && plan.repeat_axis ? Counting(block, plan, machine).jumping() : 0;
}

bool may_jump(const BlockAnalysis& block) {
  for (std::size_t o = 1; o < block.operands.size(); ++o)
    if (jumps(block, o)) return true;
  return false;
}

void choose_order(TilePlan& plan, const BlockAnalysis& block, const Machine& machine) {
  if (!plan.vector_axis || !plan.repeat_axis) return;
  std::optional<double> least;
  TilePlan best = plan;
  for (const bool goes_around : {false, true})
    for (const bool vector_outside : {true, false}) {
      TilePlan candidate = plan;
      candidate.vector_outside = vector_outside;
      const auto axes = std::ssize(whole_axes(block, plan, near_side(candidate)));
      for (candidate.around = goes_around ? 1 : 0; candidate.around <= (goes_around ? axes : 0);
           ++candidate.around) {
        const double bytes = Counting(block, candidate, machine).fetched();
        if (least && bytes >= *least * (goes_around && best.around == 0 ? worth_going_around : 1))
          continue;
        least = bytes;
        best = candidate;
      }
    }
  plan = best;
}

}  // namespace loopglass::schedule
