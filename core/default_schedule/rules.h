// The parts of the default schedule, one a kind of block. Each writes into the draft or fails, and
// the caller falls back to the state before.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/default_schedule/draft.h"
#include "core/default_schedule/lane_plan.h"
#include "core/default_schedule/near_copies.h"
#include "core/default_schedule/nest_list.h"
#include "core/default_schedule/tile_plan.h"
#include "core/loop/path.h"
#include "core/machine/machine.h"

#include <optional>
#include <string>
#include <vector>

namespace loopglass::schedule {

// At a time, where there are so many.
constexpr int usual_vectors = 2;

// Whether an elementwise block had better disappear into its consumers: where that repeats no work
// to speak of.
bool is_worth_inlining(const NestList& nests, const std::string& block);

// An axis whose quotient or remainder by a number is what a reduction reads by, as the output
// channels of a grouped convolution, becomes two, in the sum's buffer and in its consumer too
// (which a copy is where there is no other): either half may then be tiled. ScheduleIllegal where
// there is no such axis, or it does not help.
Result<void> part_groups(Draft& draft, const std::string& reduction);

// What a reduction reads and what lies apart, as by a stride, brought side by side where that is
// made up for. ScheduleIllegal where it is not, or nothing lies apart.
Result<void> bring_together(Draft& draft, const std::string& reduction, const Machine& machine);

// A reduction: tiled for registers, its elementwise consumer (if any) computed in the tile; by this
// choice where there is one, which may turn out not to be legal. `rows`: the bands of a chain that
// it is part of (row_chain.h).
Result<void> schedule_reduction(Draft& draft, const BlockAnalysis& block,
                                const std::optional<std::string>& epilogue, const Machine& machine,
                                const std::optional<TileChoice>& choice = {},
                                const std::optional<Band>& rows = {});

// Sums of products of which few share an operand that comes from memory, row by row: rows are read
// along, as its sums stay in the first cache. ScheduleIllegal for others.
Result<void> stream_rows(Draft& draft, const BlockAnalysis& block,
                         const std::optional<std::string>& epilogue, const Machine& machine);

// A sum over rows, with the elementwise consumer that follows each of its sums, so many vectors at
// a time where it has a row to walk along.
struct RowSum {
  BlockAnalysis block;
  LanePlan plan;
  std::optional<std::string> epilogue = {};
  std::optional<int> at_once = {};
};

// A reduction along which its operands lie: each lane of a few vectors sums a part, then the lanes
// are added up four by four. What is summed next over the same rows, as a softmax sums what its
// maxima are subtracted from, is done for each row while that is at hand, as far as it is legal.
Result<void> schedule_lanes(Draft& draft, const std::vector<RowSum>& sums, const Machine& machine,
                            const std::optional<Band>& rows = {});

// Whether a block stores element after element along a loop, be it from row to row.
bool walks_along_memory(const loop::Func& func, const loop::Path& block,
                        const std::string& variable);

// A consumer that has been moved after the reduction of each element, and has the given loops
// there: walked along the innermost where that is innermost in memory too. Says whether it was.
Result<bool> vectorize_along_memory(Draft& draft, const std::string& consumer,
                                    const Draft::Names& loops, std::int64_t lanes,
                                    int at_once = usual_vectors);

// A block without reduction: vectors innermost, threads outermost.
// `at_once`: vectors; nullopt: its rows are shorter than one.
Result<void> schedule_elementwise(Draft& draft, const BlockAnalysis& block, const Machine& machine,
                                  std::optional<int> at_once);

// A copy whose innermost dimension is another than that of what it reads, in square tiles of
// registers. ScheduleIllegal where it is none, or no whole tiles fit.
Result<void> schedule_transpose(Draft& draft, const BlockAnalysis& block, const Machine& machine);

// An elementwise block that reads parameters across, as one that follows a transposition does:
// copies of them that lie as the block walks, each tile turned in registers where it is read, if
// whole tiles fit; else made by themselves. ScheduleIllegal where there is nothing to turn.
Result<void> turn_operands(Draft& draft, const std::string& name, const Machine& machine);

// A block whose value is one of a few sums, chosen by an index: whether it is one, and its
// schedule, with the elementwise blocks that it alone reads computed in its tile. Says which blocks
// it has scheduled.
bool is_chosen_sum(const loop::Block& block);
Result<std::vector<std::string>> schedule_chosen_sums(Draft& draft, const std::string& block,
                                                      const Machine& machine);

// A sum of products, scheduled, that reads a border of zeros passes over what it would multiply by
// them, as far as whole rounds of its inner loops are concerned.
Result<void> skip_border(Draft& draft, const std::string& sum, const Machine& machine);

// Anything: threads outermost, if its iterations are independent and there is enough to do.
Result<void> schedule_plainly(Draft& draft, const std::string& block);

// Fuses the outermost loops and hands them to threads, if so much work is worth it (loop_cost.h).
Result<void> parallelise(Draft& draft, const Draft::Names& outer, double cycles);
// Whatever work it is: bands of a chain are one loop with those of its other nests.
Result<void> parallelise_bands(Draft& draft, const Draft::Names& bands);

}  // namespace loopglass::schedule
