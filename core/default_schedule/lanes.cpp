// Reductions along which their operands lie, in the default schedule: sums over rows, over
// everything.
//
//   outer (parallel) | lanes' initial values | reduction loops | lanes (vectorized)
//                    | the lanes added up: 64 to 16 to 4 to the sum
//                    | the consumer of the sum
//                    | what is summed next over the same rows, in the same way
#include "core/default_schedule/packing.h"
#include "core/default_schedule/rules.h"
#include "core/default_schedule/sum_blocks.h"
#include "core/loop/path.h"
#include "core/schedule/initial_block.h"

#include <algorithm>
#include <set>
#include <span>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Names = Draft::Names;

// So many parts are added to one at a time: a chain as short as its shuffles are few.
constexpr std::int64_t added_together = 4;

class LaneWriter {
 public:
  LaneWriter(Draft& draft, const BlockAnalysis& block, const LanePlan& plan)
      : draft_(draft), block_(block), plan_(plan), rank_(block.store().indices.size()) {}

  // Loops over rows, before they are handed to threads.
  const Names& outer() const { return outer_; }

  // Returns the loops of the consumer along a row.
  Result<Names> write(const std::optional<std::string>& epilogue) {
    const Path sum = TRY(find_block(draft_.func(), block_.name));
    may_be_empty_ = initial_block_of(draft_.func(), sum.block()) != nullptr;
    if (epilogue && !block_.axes.empty()) TRY_VOID(draft_.set_scope(block_.buffer, "register"));
    TRY_VOID(pack());
    TRY_VOID(deal_out());
    TRY_VOID(add_up());
    return epilogue && !outer_.empty() ? draft_.reverse_compute_at(*epilogue, outer_.back())
                                       : Names();
  }

 private:
  // Constants, so that what the lanes read of them lies side by side.
  Result<void> pack() {
    std::vector<Walked> walk;
    for (const std::size_t r : block_.reductions) walk.push_back({r});
    std::set<std::string> packed;
    for (const Operand& operand : block_.operands) {
      const auto dimension = packable_dimension(operand, block_, plan_.axis);
      if (!dimension || *dimension + 1 == operand.indices.size() ||
          !packed.insert(operand.buffer).second)
        continue;
      TRY_VOID(draft_.transform_layout(
          operand.buffer, packing_map(operand, block_, *dimension, plan_.axis.extent, walk)));
    }
    return {};
  }

  // The sums of the lanes. Long ones in blocks, added to the lanes' sums so far after each.
  Result<void> deal_out() {
    const Names loops = TRY(draft_.loops(block_.name));
    Names order, parts;
    std::vector<SummedLoop> summed;
    for (const Axis& axis : block_.axes)
      for (const std::size_t iter : axis.iters) outer_.push_back(loops[iter]);
    order = outer_;
    const auto among_lanes = [&](std::size_t iter) {
      return std::find(plan_.axis.iters.begin(), plan_.axis.iters.end(), iter) !=
             plan_.axis.iters.end();
    };
    for (const std::size_t r : block_.reductions) {
      if (among_lanes(r)) continue;
      summed.push_back({loops[r], block_.extents[r]});
      order.push_back(loops[r]);
    }
    for (const std::size_t iter : plan_.axis.iters) parts.push_back(loops[iter]);
    order.insert(order.end(), parts.begin(), parts.end());
    if (order != loops) TRY_VOID(draft_.reorder(order));
    const Names halves = TRY(draft_.split(TRY(draft_.fuse(parts)), {-1, plan_.lanes}));
    summed.push_back({halves[0], (plan_.axis.extent + plan_.lanes - 1) / plan_.lanes});
    const std::string lanes = TRY(part(block_.name, halves[1]));
    if (may_be_empty_) return finish_begun_lanes(lanes, halves[1]);
    const auto cut =
        TRY(cut_loops(draft_, summed, longest_run_of(block_.store().type), run_length));
    if (!cut) return finish_lanes(lanes, summed.front().variable, halves[1]);
    const std::string block = TRY(part(lanes, cut->outer));
    const Names added = TRY(draft_.reverse_compute_at(lanes, cut->outer));
    TRY_VOID(finish_lanes(block, cut->inner.front().variable, halves[1]));
    return finish_lanes(lanes, cut->outer, added.back());
  }

  // The lanes to four times fewer lanes, and so on to the sum.
  Result<void> add_up() {
    std::int64_t extent = plan_.lanes;
    std::string loop = TRY(lanes_added());
    while (extent > added_together) {
      extent /= added_together;
      const Names halves = TRY(draft_.split(loop, {added_together, extent}));
      const std::string fewer = TRY(part(block_.name, halves[1]));
      loop = TRY(lanes_added());
      TRY_VOID(finish_lanes(fewer, halves[0], halves[1]));
      TRY_VOID(draft_.unroll(halves[0]));
    }
    TRY(draft_.decompose_reduction(block_.name, loop));
    return draft_.unroll(loop);
  }

  // The block that adds up partial sums moves to them; the loop over them.
  Result<std::string> lanes_added() {
    if (outer_.empty()) return TRY(draft_.loops(block_.name)).back();
    return TRY(draft_.reverse_compute_at(block_.name, outer_.back())).back();
  }

  Result<std::string> part(const std::string& block, const std::string& loop) {
    const std::string made = TRY(draft_.rfactor(block, loop, rank_));
    TRY_VOID(draft_.set_scope(made, "register"));
    return made;
  }

  Result<void> finish_lanes(const std::string& block, const std::string& first_summed,
                            const std::string& lanes) {
    const std::string init = TRY(draft_.decompose_reduction(block, first_summed));
    TRY_VOID(draft_.vectorize(lanes));
    return draft_.vectorize(TRY(draft_.loops(init)).back());
  }

  // What sets lanes that may have no term is a block of its own.
  Result<void> finish_begun_lanes(const std::string& block, const std::string& lanes) {
    const std::string init =
        initial_block_of(draft_.func(), TRY(find_block(draft_.func(), block)).block())->name;
    if (!outer_.empty()) TRY(draft_.compute_at(init, outer_.back()));
    TRY_VOID(draft_.vectorize(lanes));
    return draft_.vectorize(TRY(draft_.loops(init)).back());
  }

  Draft& draft_;
  const BlockAnalysis& block_;
  const LanePlan& plan_;
  bool may_be_empty_ = false;  // the sum, so that another block sets it
  const std::size_t rank_;     // of the sum: after its dimensions come the lanes
  Names outer_;
};

}  // namespace

namespace {

struct WrittenRows {
  Names rows;  // before they are handed to threads
  double cycles = 0;
};

// The first of the sums, and as many of the others as may join it.
Result<WrittenRows> write_rows(Draft& draft, std::span<const RowSum> sums, const Machine& machine) {
  const RowSum& sum = sums.front();
  LaneWriter writer(draft, sum.block, sum.plan);
  const Names along_row = TRY(writer.write(sum.epilogue));
  const auto finish = [&](Draft& into) -> Result<void> {
    if (along_row.empty()) return {};
    TRY(vectorize_along_memory(into, *sum.epilogue, along_row,
                               machine.lanes(sum.block.widest_bytes),
                               sum.at_once.value_or(usual_vectors)));
    return {};
  };
  // Before the consumer's loop is cut, which the next sum's would be like.
  if (sums.size() > 1 && !writer.outer().empty()) {
    const RowSum& next = sums[1];
    Draft joined = draft;
    const auto loops = joined.reverse_compute_at(next.block.name, writer.outer().back());
    if (loops && loops->size() == next.block.reductions.size() && finish(joined))
      if (auto rest = write_rows(joined, sums.subspan(1), machine)) {
        draft = std::move(joined);
        return WrittenRows{writer.outer(), sum.plan.cycles + rest->cycles};
      }
  }
  TRY_VOID(finish(draft));
  return WrittenRows{writer.outer(), sum.plan.cycles};
}

}  // namespace

Result<void> schedule_lanes(Draft& draft, const std::vector<RowSum>& sums, const Machine& machine,
                            const std::optional<Band>& rows) {
  WrittenRows written = TRY(write_rows(draft, sums, machine));
  if (!rows) return parallelise(draft, written.rows, written.cycles);
  if (rows->row) written.rows.back() = TRY(draft.split(written.rows.back(), {-1, rows->rows}))[0];
  else written.rows.pop_back();
  return parallelise_bands(draft, written.rows);
}

}  // namespace loopglass::schedule
