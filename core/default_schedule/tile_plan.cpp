#include "core/default_schedule/tile_plan.h"

#include "core/default_schedule/cycle_costs.h"
#include "core/expr/rewrite.h"
#include "core/support/ceil_div.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace loopglass::schedule {

namespace {

// Beside those of cycle_costs.h.
constexpr double scattered_store = 1.5;  // per element
constexpr double crowded_tile = 1.3;  // measured on 3x3 convolutions: 14 x 2 against 7 x 2 vectors
constexpr std::int64_t most_vectors = 8;
constexpr double guarded_tile = 1.5;  // of a tile at an edge, whose loads are guarded

std::size_t operand_count(const BlockAnalysis& block) { return block.operands.size(); }

// Whether an operand changes along an axis; what it costs to load a vector of it along the lanes.
struct AxisUse {
  bool used = false;
  bool packed = false;
  std::int64_t step = 0;  // elements; 0 with `used` means irregular
};

AxisUse use_of(const BlockAnalysis& block, std::size_t operand, const Axis& axis) {
  AxisUse use;
  const auto step = axis.steps[operand];
  if (step == 0) return use;
  use.used = true;
  use.packed = packable_dimension(block.operands[operand], block, axis).has_value();
  use.step = use.packed ? 1 : step.value_or(0);
  return use;
}

class Planner {
 public:
  Planner(const BlockAnalysis& block, const Machine& machine)
      : block_(block),
        machine_(machine),
        lanes_(std::max(1, machine.lanes(static_cast<int>(block.widest_bytes)))) {}

  TilePlan best() {
    walk([&](const TilePlan& plan) {
      if (plan.cycles < best_.cycles * 0.999) best_ = plan;
    });
    order(best_);
    return best_;
  }

  std::vector<TilePlan> all() {
    std::vector<TilePlan> plans;
    walk([&](const TilePlan& plan) { plans.push_back(plan); });
    std::erase_if(plans, [](const TilePlan& plan) { return !std::isfinite(plan.cycles); });
    for (TilePlan& plan : plans) order(plan);
    std::ranges::stable_sort(plans, {}, &TilePlan::cycles);
    return plans;
  }

 private:
  using Visit = std::function<void(const TilePlan&)>;

  void walk(const Visit& visit) {
    std::vector<std::optional<std::size_t>> choices{std::nullopt};
    // Innermost first: of equals, neighbours in memory win.
    for (std::size_t a = block_.axes.size(); a-- > 0;)
      if (block_.axes[a].extent > 1) choices.emplace_back(a);
    best_ = evaluate({});
    visit(best_);
    for (const auto vector : choices) {
      if (vector && !vectorizable(block_.axes[*vector])) continue;
      for (const auto repeat : choices)
        if (!repeat || repeat != vector) sizes(vector, repeat, visit);
    }
  }

  // All operands regular along the lanes, or at least gatherable; the sum itself must move.
  bool vectorizable(const Axis& axis) const {
    for (std::size_t o = 1; o < operand_count(block_); ++o) {
      const AxisUse use = use_of(block_, o, axis);
      if (use.used && use.step == 0) return false;
    }
    return axis.steps[0] && *axis.steps[0] != 0;
  }

  void sizes(std::optional<std::size_t> vector, std::optional<std::size_t> repeat,
             const Visit& visit) {
    const std::int64_t most = repeat ? std::min<std::int64_t>(block_.axes[*repeat].extent, 28) : 1;
    for (const std::int64_t length : vector ? lengths(block_.axes[*vector]) : std::vector{1L}) {
      const std::int64_t vectors = vector ? vectors_of(length) : 1;
      for (std::int64_t repeats = repeat ? 2 : 1; repeats <= most; ++repeats) {
        if (repeats * vectors + vectors + 1 > machine_.vector_registers) break;
        TilePlan plan;
        plan.vector_axis = vector;
        plan.repeat_axis = repeat;
        plan.vector_length = length;
        plan.repeats = repeats;
        visit(evaluate(plan));
      }
    }
  }

  // How many vectors so many lanes are: LLVM rounds up to a power of two, and computes what it
  // added.
  std::int64_t vectors_of(std::int64_t length) const {
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(ceil_div(length, lanes_))));
  }

  // A few vectors, of several iterations together also what divides them, as the 49 points of a
  // picture of 7 x 7, which cannot be padded.
  std::vector<std::int64_t> lengths(const Axis& axis) const {
    std::vector<std::int64_t> found;
    for (std::int64_t vectors = 1; vectors <= most_vectors; vectors *= 2)
      if (vectors == 1 || (vectors - 1) * lanes_ < axis.extent) found.push_back(vectors * lanes_);
    if (axis.extent % lanes_ == 0 || lone_iteration(axis, block_)) return found;
    for (std::int64_t length = lanes_ + 1; length <= most_vectors * lanes_; ++length)
      if (axis.extent % length == 0 && length % lanes_ != 0) found.push_back(length);
    return found;
  }

  bool all_packed(const Axis& axis) const {
    for (std::size_t o = 1; o < operand_count(block_); ++o)
      if (const AxisUse use = use_of(block_, o, axis); use.used && !use.packed) return false;
    return true;
  }

  // Tiles along an axis per point of it. Only an axis that is one iteration can be padded.
  double share_walked(const Axis& axis, std::int64_t length) const {
    const std::int64_t count = ceil_div(axis.extent, length);
    double walked = static_cast<double>(count);
    if (axis.extent % length != 0) {
      if (!lone_iteration(axis, block_)) return std::numeric_limits<double>::infinity();
      if (!all_packed(axis)) walked += guarded_tile - 1;
    }
    return walked / static_cast<double>(axis.extent);
  }

  // Several reduction loops leave LLVM fewer registers than a tile that nearly fills them needs.
  bool is_crowded(double sums) const {
    const auto loops = std::count_if(block_.reductions.begin(), block_.reductions.end(),
                                     [&](std::size_t r) { return block_.extents[r] > 1; });
    return loops > 1 && sums > 0.75 * machine_.vector_registers;
  }

  // Bytes a step takes from beyond the first cache: of operands along the lanes, whose panel for
  // one tile (as wide as the repeats, if they move it too) does not stay there from tile to tile.
  double streamed_bytes(const TilePlan& plan) const {
    if (!plan.vector_axis) return 0;
    double bytes = 0;
    for (std::size_t o = 1; o < operand_count(block_); ++o) {
      if (block_.axes[*plan.vector_axis].steps[o] == 0) continue;
      double row = static_cast<double>(plan.vector_length) *
                   static_cast<double>(byte_size(block_.operands[o].type));
      if (plan.repeat_axis && block_.axes[*plan.repeat_axis].steps[o] != 0)
        row *= static_cast<double>(plan.repeats);
      double panel = row;
      for (const std::size_t r : block_.reductions)
        if (block_.operands[o].uses(r)) panel *= static_cast<double>(block_.extents[r]);
      if (panel > static_cast<double>(machine_.l1.bytes) / 2) bytes += row;
    }
    return bytes;
  }

  // The same of operands with one value for all lanes: where the tile's rows lie so far apart that
  // they fall into the same few sets of the first cache, no line of theirs is there any more when
  // its next element is asked for. (A product of 1024 x 1024: 13 rows took 1.2 times as long as 6.)
  double missed_bytes(const TilePlan& plan) const {
    if (!plan.repeat_axis) return 0;
    // The place of an address in its page is what tells sets apart.
    constexpr std::int64_t page = 4096, line = 64;
    // Lines of a set; others pass through it, too.
    const double room = std::max(1.0, 0.75 * static_cast<double>(machine_.l1.bytes / page));
    double bytes = 0;
    for (std::size_t o = 1; o < operand_count(block_); ++o) {
      const AxisUse use = use_of(block_, o, block_.axes[*plan.repeat_axis]);
      if (use.step == 0 || use.packed) continue;
      if (plan.vector_axis && block_.axes[*plan.vector_axis].steps[o] != 0) continue;
      const auto apart = use.step * static_cast<std::int64_t>(byte_size(block_.operands[o].type));
      const std::int64_t rows_in_turn = page / std::gcd(page, apart);
      if (static_cast<double>(ceil_div(plan.repeats, rows_in_turn)) > room)
        bytes += static_cast<double>(plan.repeats * line);
    }
    return bytes;
  }

  TilePlan evaluate(TilePlan plan) const {
    const Axis* vector = plan.vector_axis ? &block_.axes[*plan.vector_axis] : nullptr;
    const Axis* repeat = plan.repeat_axis ? &block_.axes[*plan.repeat_axis] : nullptr;
    const double vectors = vector ? static_cast<double>(vectors_of(plan.vector_length)) : 1;
    const double repeats = static_cast<double>(plan.repeats);
    double loads = 0;
    for (std::size_t o = 1; o < operand_count(block_); ++o) {
      const AxisUse v = vector ? use_of(block_, o, *vector) : AxisUse{};
      const AxisUse r = repeat ? use_of(block_, o, *repeat) : AxisUse{};
      const double cost =
          v.used ? vector_loads(static_cast<double>(v.step), vectors, static_cast<double>(lanes_))
                 : 1;
      loads += cost * (r.used ? repeats : 1);
    }
    const double streamed =
        (streamed_bytes(plan) + missed_bytes(plan)) / machine_.l2_bytes_per_cycle();
    // Of tiles with the same bottleneck the one that asks less of memory wins.
    double step = std::max({vectors * repeats / 2, loads / 2, operation_latency, streamed}) +
                  overlap_loss * (loads / 2 + streamed);
    if (is_crowded(vectors * repeats)) step *= crowded_tile;

    double tiles = static_cast<double>(block_.spatial_points);
    if (vector) tiles *= share_walked(*vector, plan.vector_length);
    if (repeat) tiles *= share_walked(*repeat, plan.repeats);
    const double points = static_cast<double>(block_.spatial_points);
    double stores = points;
    if (vector) stores = vector->steps[0] == 1 ? points / lanes_ : points * scattered_store;
    plan.cycles =
        tiles * (static_cast<double>(block_.reduction_points) * step + 2 * operation_latency) +
        stores;
    return plan;
  }

  // Which operand to keep in cache while the other streams past: the traffic of both orders.
  void order(TilePlan& plan) const {
    if (!plan.vector_axis || !plan.repeat_axis) return;
    double vector_bytes = 0, repeat_bytes = 0;
    const Axis &vector = block_.axes[*plan.vector_axis], &repeat = block_.axes[*plan.repeat_axis];
    for (std::size_t o = 1; o < operand_count(block_); ++o) {
      double bytes = static_cast<double>(byte_size(block_.operands[o].type));
      for (std::size_t i = 0; i < block_.extents.size(); ++i)
        if (block_.operands[o].uses(i)) bytes *= static_cast<double>(block_.extents[i]);
      if (vector.steps[o] != 0) vector_bytes += bytes;
      if (repeat.steps[o] != 0) repeat_bytes += bytes;
    }
    const auto streamed = [&](double bytes, double times) {
      return bytes * times * (bytes <= static_cast<double>(machine_.l2.bytes) / 2 ? 0.25 : 1.0);
    };
    double vector_tiles = static_cast<double>(ceil_div(vector.extent, plan.vector_length));
    double repeat_tiles = static_cast<double>(ceil_div(repeat.extent, plan.repeats));
    for (std::size_t a = 0; a < block_.axes.size(); ++a) {
      if (a == *plan.vector_axis || a == *plan.repeat_axis) continue;
      const Side side = side_of(block_, plan, a);
      if (side == Side::Vector) vector_tiles *= static_cast<double>(block_.axes[a].extent);
      if (side == Side::Repeat) repeat_tiles *= static_cast<double>(block_.axes[a].extent);
    }
    plan.vector_outside = vector_bytes + streamed(repeat_bytes, vector_tiles) <=
                          repeat_bytes + streamed(vector_bytes, repeat_tiles);
  }

  const BlockAnalysis& block_;
  const Machine& machine_;
  std::int64_t lanes_;
  TilePlan best_;
};

}  // namespace

std::optional<std::size_t> packable_dimension(const Operand& operand, const BlockAnalysis& block,
                                              const Axis& axis) {
  const auto iter = lone_iteration(axis, block);
  if (!operand.constant || !iter) return std::nullopt;
  std::optional<std::size_t> found;
  for (std::size_t d = 0; d < operand.indices.size(); ++d) {
    const std::string& name = block.iter_names[*iter];
    if (!expr::uses_variable(operand.indices[d], name)) continue;
    if (found || !operand.indices[d].as<expr::Variable>()) return std::nullopt;
    found = d;
  }
  return found;
}

Side side_of(const BlockAnalysis& block, const TilePlan& plan, std::size_t axis) {
  bool with_vector = false, with_repeat = false;
  for (std::size_t o = 1; o < block.operands.size(); ++o) {
    if (block.axes[axis].steps[o] == 0) continue;
    with_vector |= plan.vector_axis && block.axes[*plan.vector_axis].steps[o] != 0;
    with_repeat |= plan.repeat_axis && block.axes[*plan.repeat_axis].steps[o] != 0;
  }
  return with_vector == with_repeat ? Side::Both : with_vector ? Side::Vector : Side::Repeat;
}

TilePlan plan_tiles(const BlockAnalysis& block, const Machine& machine) {
  return Planner(block, machine).best();
}

std::vector<TilePlan> tile_plans(const BlockAnalysis& block, const Machine& machine) {
  return Planner(block, machine).all();
}

}  // namespace loopglass::schedule
