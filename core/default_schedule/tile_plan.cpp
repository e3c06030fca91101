#include "core/default_schedule/tile_plan.h"

#include "core/default_schedule/cycle_costs.h"
#include "core/default_schedule/tile_order.h"
#include "core/default_schedule/turned_tile.h"
#include "core/expr/rewrite.h"
#include "core/loop/vector_pieces.h"
#include "core/support/ceil_div.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <numeric>

namespace loopglass::schedule {

namespace {

// Beside those of cycle_costs.h.
constexpr double scattered_store = 1.5;  // per element
constexpr double turned_store = 8.0;     // per vector, of a tile that is turned before
// Of sums that just hide the latency: on 1x1 convolutions 4 x 2 vectors took 1.13 times as long a
// term as 4 x 3.
constexpr double latency_to_hide = 1.125 * operation_latency;
// Multiply-adds in whose place a vector is picked out of two, every other element: on a 7x7
// convolution of stride 2, AVX-512 is 1.14 times as slow by the tile that 1.5 leads to, and AVX2 by
// that of 3.
constexpr double picked_vector = 2;
// In the place of overlap_loss where there is more to load than to multiply: with AVX2 a term of
// 13 x 1 vectors took 8.1 cycles (6.5 to multiply, 7 to load).
constexpr double crowded_loss = 0.16;
// Vectors that come one at a time, each for all repeats; with more the repeats are few.
constexpr std::int64_t most_pieces = 4;
// Of vectors on x86 whose products and sums are instructions apart, for which that takes one
// register more.
constexpr int bytes_without_fused = 16;
constexpr std::array<std::int64_t, 5> vectors_of_tiles{1, 2, 3, 4, 8};

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
        lanes_(machine.lanes(block.widest_bytes)),
        between_(is_float(block.store().type) ? 0 : 1),
        may_jump_(may_jump(block)) {}

  TilePlan best() {
    walk([&](const TilePlan& plan) {
      if (plan.cycles < best_.cycles * 0.999) best_ = plan;
    });
    choose_order(best_, block_, machine_);
    return best_;
  }

  std::vector<TilePlan> all() {
    std::vector<TilePlan> plans;
    walk([&](const TilePlan& plan) { plans.push_back(plan); });
    for (TilePlan& plan : plans) choose_order(plan, block_, machine_);
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
        const bool fits = wanted(repeats, vectors, vectors) <= machine_.vector_registers;
        const bool may_hold_repeats = vector && repeat && pieces_follow(*vector, length) &&
                                      vectors <= most_pieces && repeats < vectors;
        if (!fits &&
            !(may_hold_repeats && wanted(repeats, vectors, repeats) <= machine_.vector_registers))
          break;
        TilePlan plan;
        plan.holds_repeats = !fits;
        plan.vector_axis = vector;
        plan.repeat_axis = repeat;
        plan.vector_length = length;
        plan.repeats = repeats;
        visit(evaluate(plan));
      }
    }
  }

  // Registers: sums, what stays of one operand and what comes of the other.
  std::int64_t wanted(std::int64_t repeats, std::int64_t vectors, std::int64_t held) const {
    return repeats * vectors + held + 1 + between_;
  }

  // Whether a tile's vectors may come one at a time: they are whole, and lie side by side.
  bool pieces_follow(std::size_t vector, std::int64_t length) const {
    const Axis& axis = block_.axes[vector];
    if (axis.extent % length != 0 || axis.steps[0] != 1) return false;
    for (std::size_t o = 1; o < operand_count(block_); ++o)
      if (const AxisUse use = use_of(block_, o, axis); use.used && use.step != 1) return false;
    return block_.multiplies_and_adds && machine_.vector_bytes > bytes_without_fused;
  }

  // Of so many lanes, those that idle included.
  std::int64_t vectors_of(std::int64_t length) const {
    const bool is_whole = std::has_single_bit(static_cast<std::uint64_t>(length));
    return ceil_div(is_whole ? length : loop::VectorPieces(length).lanes_with_idle(), lanes_);
  }

  std::vector<std::int64_t> lengths(const Axis& axis) const {
    std::vector<std::int64_t> found;
    for (const std::int64_t vectors : vectors_of_tiles)
      if (vectors == 1 || (vectors - 1) * lanes_ < axis.extent) found.push_back(vectors * lanes_);
    return found;
  }

  // Tiles along an axis: whole ones, and at most one at the end that is smaller.
  struct Cut {
    std::int64_t length, count;
  };
  static std::vector<Cut> cuts_of(const Axis* axis, std::int64_t length) {
    if (axis == nullptr) return {{length, 1}};
    std::vector<Cut> cuts;
    if (axis->extent >= length) cuts.push_back({length, axis->extent / length});
    if (axis->extent % length != 0) cuts.push_back({axis->extent % length, 1});
    return cuts;
  }

  // Whether what a tile reads of an operand, so many bytes a term, is in the first cache still when
  // the next tile reads it.
  bool stays_near(std::size_t operand, double bytes) const {
    for (const std::size_t r : block_.reductions)
      if (block_.operands[operand].uses(r)) bytes *= static_cast<double>(block_.extents[r]);
    return bytes <= static_cast<double>(machine_.l1.bytes) / 2;
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
      if (!stays_near(o, row)) bytes += row;
    }
    return bytes;
  }

  // The same of operands with one value for all lanes whose terms lie further apart than a line of
  // the cache is long: of each line that the tile's rows reach over, what one term takes is all
  // that is used.
  double sparse_bytes(const TilePlan& plan) const {
    if (!plan.repeat_axis || block_.reductions.empty()) return 0;
    const auto inner = std::find_if(block_.reductions.rbegin(), block_.reductions.rend(),
                                    [&](std::size_t r) { return block_.extents[r] > 1; });
    if (inner == block_.reductions.rend()) return 0;
    double bytes = 0;
    for (std::size_t o = 1; o < operand_count(block_); ++o) {
      const AxisUse use = use_of(block_, o, block_.axes[*plan.repeat_axis]);
      const auto size = static_cast<std::int64_t>(byte_size(block_.operands[o].type));
      const auto term = block_.operands[o].steps[*inner];
      if (use.step == 0 || use.packed || !term || std::abs(*term) * size < line_bytes) continue;
      if (plan.vector_axis && block_.axes[*plan.vector_axis].steps[o] != 0) continue;
      // As many lines as rows, or as their reach takes, if that is less.
      const auto lines = static_cast<double>(
          line_bytes + (plan.repeats - 1) * std::min(line_bytes, std::abs(use.step) * size));
      if (!stays_near(o, lines)) bytes += lines;
    }
    return bytes;
  }

  // Cycles a term waits for operands that jump (tile_order.h), where the second cache does not hold
  // what one tile reads. (A 3 x 3 convolution of 7 x 7 pixels with the rows of a tile in 11 images,
  // each 160 KiB from the next, took 1.8 times as long as with pixels.)
  double waited(const TilePlan& plan) const {
    double all = 0, jumping = 0;
    for (std::size_t o = 1; o < operand_count(block_); ++o) {
      const double bytes = bytes_of_tile(plan, o);
      all += bytes;
      if (jumps(block_, o)) jumping += bytes;
    }
    if (all <= static_cast<double>(machine_.l2.bytes)) return 0;
    return jumping / static_cast<double>(block_.reduction_points) *
           cycles_of_jumping_byte(machine_);
  }

  // What all terms of a tile's sums read of an operand, in whole lines. Of irregular steps nothing
  // is known.
  double bytes_of_tile(const TilePlan& plan, std::size_t o) const {
    struct Walk {
      std::int64_t step, count;
    };
    std::vector<Walk> walks;
    std::int64_t elements = 1;
    bool is_regular = true, is_packed = false;
    const auto add = [&](std::optional<std::int64_t> step, std::int64_t count) {
      is_regular = is_regular && step;
      if (step == 0) return;
      elements *= count;
      walks.push_back({std::abs(step.value_or(0)), count});
    };
    for (const auto& [axis, count] : {std::pair{plan.vector_axis, plan.vector_length},
                                      std::pair{plan.repeat_axis, plan.repeats}}) {
      if (!axis) continue;
      add(block_.axes[*axis].steps[o], count);
      is_packed = is_packed || use_of(block_, o, block_.axes[*axis]).packed;
    }
    const Operand& operand = block_.operands[o];
    for (const std::size_t r : block_.reductions) add(operand.steps[r], block_.extents[r]);
    const auto size = static_cast<std::int64_t>(byte_size(operand.type));
    if (is_packed) return static_cast<double>(elements * size);
    if (!is_regular) return 0;
    std::ranges::sort(walks, {}, &Walk::step);
    std::int64_t run = size;  // of bytes in whose every line something is read
    double runs = 1;
    for (const Walk& walk : walks)
      if (walk.step * size <= std::max(run, line_bytes)) run += walk.step * size * (walk.count - 1);
      else runs *= static_cast<double>(walk.count);
    return runs * static_cast<double>(run - size + line_bytes);
  }

  // The same of operands with one value for all lanes: where the tile's rows lie so far apart that
  // they fall into the same few sets of the first cache, no line of theirs is there any more when
  // its next element is asked for. (A product of 1024 x 1024: 13 rows took 1.2 times as long as 6.)
  double missed_bytes(const TilePlan& plan) const {
    if (!plan.repeat_axis) return 0;
    // The place of an address in its page is what tells sets apart.
    constexpr std::int64_t page = 4096;
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
        bytes += static_cast<double>(plan.repeats * line_bytes);
    }
    return bytes;
  }

  // Cycles of one term of each sum of a tile.
  double step(const TilePlan& plan, std::int64_t length, std::int64_t repeated,
              double streamed) const {
    const Axis* vector = plan.vector_axis ? &block_.axes[*plan.vector_axis] : nullptr;
    const Axis* repeat = plan.repeat_axis ? &block_.axes[*plan.repeat_axis] : nullptr;
    const double vectors = vector ? static_cast<double>(vectors_of(length)) : 1;
    const auto repeats = static_cast<double>(repeated);
    double loads = 0, shuffles = 0;
    for (std::size_t o = 1; o < operand_count(block_); ++o) {
      const AxisUse v = vector ? use_of(block_, o, *vector) : AxisUse{};
      const AxisUse r = repeat ? use_of(block_, o, *repeat) : AxisUse{};
      const double cost =
          v.used ? vector_loads(static_cast<double>(v.step), vectors, static_cast<double>(lanes_))
                 : 1;
      loads += cost * (r.used ? repeats : 1);
      if (v.used && v.step > 1) shuffles += picked_vector * vectors * (r.used ? repeats : 1);
    }
    // Of tiles with the same bottleneck the one that asks less of memory wins.
    const double computing = (vectors * repeats + shuffles) / 2, loading = loads / 2;
    return std::max({computing, loading, latency_to_hide, streamed}) + overlap_loss * streamed +
           (loading > computing ? crowded_loss : overlap_loss) * loading;
  }

  // Per element. Rows of a turned tile are less than a line or two, which is dearer where all that
  // is stored goes to memory: 32 images of 64 channels (T3) took 1.7 times as long as with rows of
  // 64 pixels.
  double turned_cycles() const {
    const double bytes = static_cast<double>(block_.spatial_points) *
                         static_cast<double>(byte_size(block_.store().type));
    const bool goes_to_memory = bytes > static_cast<double>(machine_.l3.bytes) / 2;
    return turned_store / static_cast<double>(lanes_) * (goes_to_memory ? 2 : 1);
  }

  // Lines that a tile's rows end in are fetched and stored once more by the tile beside it.
  double store_cycles(const TilePlan& plan) const {
    const auto points = static_cast<double>(block_.spatial_points);
    if (!plan.vector_axis) return points;
    const Axis& vector = block_.axes[*plan.vector_axis];
    if (vector.steps[0] != 1)
      return points *
             (turning_intrinsic(block_, plan, machine_) ? turned_cycles() : scattered_store);
    const std::int64_t bytes =
        plan.vector_length * static_cast<std::int64_t>(byte_size(block_.store().type));
    const std::int64_t lines = bytes / line_bytes + (bytes % line_bytes != 0 ? 1 : 0);
    return points / static_cast<double>(plan.vector_length) *
           static_cast<double>(2 * lines * line_bytes) / machine_.l2_bytes_per_cycle();
  }

  TilePlan evaluate(TilePlan plan) const {
    const Axis* vector = plan.vector_axis ? &block_.axes[*plan.vector_axis] : nullptr;
    const Axis* repeat = plan.repeat_axis ? &block_.axes[*plan.repeat_axis] : nullptr;
    const double streamed = (streamed_bytes(plan) + sparse_bytes(plan) + missed_bytes(plan)) /
                            machine_.l2_bytes_per_cycle();
    const double waiting = may_jump_ ? waited(plan) : 0;
    double others = static_cast<double>(block_.spatial_points);  // tiles beside one another
    if (vector) others /= static_cast<double>(vector->extent);
    if (repeat) others /= static_cast<double>(repeat->extent);
    plan.cycles = store_cycles(plan);
    for (const Cut& along : cuts_of(vector, plan.vector_length))
      for (const Cut& across : cuts_of(repeat, plan.repeats))
        plan.cycles += others * static_cast<double>(along.count * across.count) *
                       (static_cast<double>(block_.reduction_points) *
                            (step(plan, along.length, across.length, streamed) + waiting) +
                        2 * operation_latency);
    if (may_jump_) {
      choose_order(plan, block_, machine_);
      plan.cycles += jumping_bytes(plan, block_, machine_) * cycles_of_jumping_byte(machine_);
    }
    return plan;
  }

  const BlockAnalysis& block_;
  const Machine& machine_;
  const std::int64_t lanes_;
  const std::int64_t between_;  // registers of a product that is added by another instruction
  const bool may_jump_;         // an operand
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
