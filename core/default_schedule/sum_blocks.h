// Long sums in blocks. A float32 that has taken n terms may be off by n roundings; taken as blocks
// that are summed each for itself and then added up, by those of one block and of the additions.
// The blocks are also what threads share of a sum that has few elements.
#pragma once

#include "core/default_schedule/block_analysis.h"
#include "core/default_schedule/draft.h"
#include "core/default_schedule/packing.h"
#include "core/machine/machine.h"
#include "core/te/wide_sums.h"

#include <limits>
#include <span>

namespace loopglass::schedule {

// Blocks beside the sum: a nest of partial sums and a nest that adds them up, both still to be
// scheduled like any other. Where a reduction has few elements and many terms, or reads each
// operand about once, so that its partial sums are few beside what it reads. The adding nest's name
// is the block's; the partial sums', if any, is returned.
Result<std::optional<std::string>> sum_blocks_apart(Draft& draft, const std::string& block,
                                                    const Machine& machine);

// A loop of a nest that is being written, with its extent.
struct SummedLoop {
  std::string variable;
  std::int64_t extent;
};

// Blocks inside the nest: loops over what is summed, cut in two, the inner ones short.
struct CutLoops {
  std::string outer;  // one loop, over the blocks
  std::vector<SummedLoop> inner;
};
// Nothing where the loops (nested in this order, each a reduction's) have not more iterations than
// `longest`. The last loop's part is a multiple of `multiple`.
Result<std::optional<CutLoops>> cut_loops(Draft& draft, std::vector<SummedLoop> loops,
                                          std::int64_t longest, std::int64_t length,
                                          std::int64_t multiple = 1);

// The same where all of a window is in each block, so that what lies beyond a border may be passed
// over in it (borders.cpp): the blocks are of the other loops. `reductions` are those of the loops;
// `walk` becomes the order in which they go, where they are cut so.
Result<std::optional<CutLoops>> cut_around_window(Draft& draft,
                                                  const std::vector<SummedLoop>& summed,
                                                  std::span<const std::size_t> reductions,
                                                  std::int64_t length, std::vector<Walked>& walk);

// How many terms one accumulator takes before a nest is given blocks, and how many it takes in one.
// Whole numbers are summed without rounding, however many there are.
using te::longest_run;
inline std::int64_t longest_run_of(DataType type) {
  return is_float(type) ? longest_run : std::numeric_limits<std::int64_t>::max();
}
constexpr std::int64_t run_length = 512;

}  // namespace loopglass::schedule
