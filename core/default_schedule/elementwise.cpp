// Blocks without reductions in the default schedule, and what all rules share.
#include "core/default_schedule/loop_cost.h"
#include "core/default_schedule/rules.h"
#include "core/loop/path.h"

#include <algorithm>
#include <limits>

namespace loopglass::schedule {

using namespace loop;

namespace {

// A thread's share of an elementwise loop, so that its bookkeeping is small beside it.
constexpr std::int64_t elements_per_chunk = 8 << 10;
// Rows shorter than this (channels last, or blocks of them) are walked several at a time, or
// finding out which one it is would cost as much as the row.
constexpr std::int64_t short_row = 512;

// A divisor of the axis around the rows, 1 where they had better be handed out one by one.
std::int64_t rows_together(const BlockAnalysis& block, std::int64_t row) {
  if (row >= short_row || block.axes.size() < 2) return 1;
  const std::int64_t extent = block.axes[block.axes.size() - 2].extent;
  const std::int64_t most =
      std::min(elements_per_chunk / row, block.spatial_points / row / least_chunks);
  for (std::int64_t rows = std::min(most, extent); rows > 1; --rows)
    if (extent % rows == 0) return rows;
  return 1;
}

}  // namespace

Result<void> parallelise(Draft& draft, const Draft::Names& outer, double cycles) {
  if (outer.empty() || !is_worth_threads(cycles)) return {};
  // Where an extent that is a symbol's would have to be divided by, it is not seen that iterations
  // are independent: the loop outside has to do.
  Draft attempt = draft;
  if (const auto fused = attempt.fuse(outer); fused && attempt.parallel(*fused)) {
    draft = std::move(attempt);
    return {};
  }
  return draft.parallel(outer.front());
}

Result<void> parallelise_bands(Draft& draft, const Draft::Names& bands) {
  return parallelise(draft, bands, std::numeric_limits<double>::infinity());
}

Result<void> schedule_elementwise(Draft& draft, const BlockAnalysis& block, const Machine& machine,
                                  std::optional<int> at_once) {
  if (block.axes.empty()) return {};
  const double cycles = elementwise_cycles(draft.func(), block, machine);
  const Draft::Names loops = TRY(draft.loops(block.name));
  Draft::Names outer;
  for (const Axis& axis : block.axes) {
    Draft::Names parts;
    for (const std::size_t iter : axis.iters) parts.push_back(loops[iter]);
    outer.push_back(TRY(draft.fuse(parts)));
  }
  const std::int64_t lanes = machine.lanes(block.widest_bytes);
  const std::int64_t inner = block.axes.back().extent;
  // A row much shorter than a vector is left to LLVM.
  const std::int64_t length = at_once ? *at_once * lanes : inner;
  if (length < std::min<std::int64_t>(lanes, 4)) return parallelise(draft, outer, cycles);

  const std::string row = outer.back();
  outer.pop_back();
  const bool long_row = inner >= 2 * elements_per_chunk;
  const Draft::Names parts =
      TRY(long_row ? draft.split(row, {-1, elements_per_chunk / length, length})
                   : draft.split(row, {-1, length}));
  TRY_VOID(draft.vectorize(parts.back()));
  if (long_row || outer.empty()) outer.push_back(parts[0]);
  else if (const std::int64_t rows = rows_together(block, inner); rows > 1)
    outer.back() = TRY(draft.split(outer.back(), {-1, rows}))[0];
  return parallelise(draft, outer, cycles);
}

Result<void> schedule_plainly(Draft& draft, const std::string& name) {
  const Draft::Names loops = TRY(draft.loops(name));
  if (loops.empty()) return {};
  const Path path = TRY(find_loop(draft.func(), loops[0]));
  return parallelise(draft, {path.loop().variable},
                     plain_cycles(TRY(find_block(draft.func(), name))));
}

}  // namespace loopglass::schedule
