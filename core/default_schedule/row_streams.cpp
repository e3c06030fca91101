// Sums over the rows of an operand that comes from memory, and is used up by a few sums: a vector,
// or a few, by a matrix that is no constant.
//
//   chunks of the columns (parallel) | initial values
//                                    | every few rows | vectors of the chunk | sums that share them
//                                    (unrolled) | the few rows (unrolled) | lanes (vectorized)
//                                    | the consumer of the chunk
//
// In tiles, whose sums stay in registers over all rows, each row would be read for a line or two, a
// page further on each time, which a core does not see coming: of 4,096 x 4,096 numbers 10 ms. A
// chunk of sums stays in the first cache, and the rows are read along: 2.8 ms.
#include "core/default_schedule/cycle_costs.h"
#include "core/default_schedule/rules.h"
#include "core/default_schedule/sum_blocks.h"
#include "core/loop/path.h"
#include "core/schedule/initial_block.h"
#include "core/support/ceil_div.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Names = Draft::Names;

constexpr std::int64_t rows_together = 8;  // whose products are added to a vector of sums at once
constexpr std::int64_t longest_chunk = 1024, shortest_chunk = 256;
constexpr std::int64_t far_row = 512;  // elements from a row to the next
// That share an element. (Of eight 5.5 ms, 12 in tiles.)
constexpr std::int64_t most_that_share = 16;

// Iterations of a sum, by what they do to the operand that is streamed.
struct Streamed {
  std::size_t row = 0, column = 0;
  std::vector<std::size_t> apart;    // each reads another part of it, or there is only one
  std::vector<std::size_t> sharing;  // read the same
  std::int64_t bytes = 0;
};

std::optional<Streamed> streamed_along(const BlockAnalysis& block, std::size_t operand,
                                       const Machine& machine) {
  const Operand& read = block.operands[operand];
  if (read.constant || !read.parameter || bytes_of(read) <= machine.l3.bytes * 3 / 8)
    return std::nullopt;
  Streamed streamed{.bytes = bytes_of(read)};
  bool has_row = false, has_column = false;
  const std::int64_t lanes = machine.lanes(block.widest_bytes);
  std::int64_t sums = 1;
  for (std::size_t i = 0; i < block.extents.size(); ++i) {
    const bool is_summed = std::ranges::find(block.reductions, i) != block.reductions.end();
    if (is_summed && block.extents[i] > 1) {
      if (has_row || !read.steps[i] || *read.steps[i] < far_row) return std::nullopt;
      streamed.row = i;
      has_row = true;
    } else if (!is_summed && read.steps[i] == 1 && block.store().steps[i] == 1 &&
               block.extents[i] >= shortest_chunk && block.extents[i] % lanes == 0) {
      streamed.column = i;
      has_column = true;
    } else if (block.extents[i] == 1 || read.uses(i)) {
      streamed.apart.push_back(i);
    } else {
      streamed.sharing.push_back(i);
      sums *= block.extents[i];
    }
  }
  if (!has_row || !has_column || sums > most_that_share ||
      block.extents[streamed.row] < rows_together ||
      block.extents[streamed.row] > longest_run_of(block.store().type))
    return std::nullopt;
  return streamed;
}

// Whole vectors, at least two chunks to a core, and, where possible, all of them alike.
std::int64_t chunk_of(std::int64_t columns, std::int64_t parts, std::int64_t lanes,
                      const Machine& machine) {
  const std::int64_t wanted = ceil_div(std::int64_t{2} * machine.cores, parts);
  const std::int64_t chunk =
      std::clamp(columns / std::max<std::int64_t>(wanted, 1), shortest_chunk, longest_chunk);
  for (std::int64_t alike = chunk / lanes * lanes; alike >= shortest_chunk; alike -= lanes)
    if (columns % alike == 0) return alike;
  return ceil_div(chunk, lanes) * lanes;
}

}  // namespace

Result<void> stream_rows(Draft& draft, const BlockAnalysis& block,
                         const std::optional<std::string>& epilogue, const Machine& machine) {
  const auto illegal = [&](const char* why) {
    return fail(Code::ScheduleIllegal, why, block.name);
  };
  std::optional<Streamed> streamed;
  for (std::size_t o = 1; o < block.operands.size() && !streamed; ++o)
    streamed = streamed_along(block, o, machine);
  if (!streamed || !block.multiplies_and_adds || block.asks_where_it_is)
    return illegal("no operand comes from memory row by row");
  if (initial_block_of(draft.func(), TRY(find_block(draft.func(), block.name)).block()))
    return illegal("another block begins its sums");

  std::string consumer;
  if (epilogue) {
    consumer = *epilogue;
    TRY_VOID(draft.set_scope(block.buffer, "stack"));
  } else {
    consumer = TRY(draft.cache_write(block.name, "stack"));
  }
  const std::int64_t lanes = machine.lanes(block.widest_bytes);
  const Names loops = TRY(draft.loops(block.name));
  Names outer;
  std::int64_t parts = 1;
  for (const std::size_t iter : streamed->apart) {
    if (std::ranges::find(block.reductions, iter) != block.reductions.end()) continue;
    outer.push_back(loops[iter]);
    parts *= block.extents[iter];
  }
  const std::int64_t chunk = chunk_of(block.extents[streamed->column], parts, lanes, machine);
  // Vectors first, which are whole: of the last chunk some may not be there.
  const Names vectors = TRY(draft.split(loops[streamed->column], {-1, lanes}));
  const Names chunks = TRY(draft.split(vectors[0], {-1, chunk / lanes}));
  const Names rows = TRY(draft.split(loops[streamed->row], {-1, rows_together}));
  outer.push_back(chunks[0]);

  Names order = outer;
  order.insert(order.end(), {rows[0], chunks[1]});
  for (const std::size_t iter : streamed->sharing) order.push_back(loops[iter]);
  order.insert(order.end(), {rows[1], vectors[1]});
  TRY_VOID(draft.reorder(order));
  const Names mirrored = TRY(draft.reverse_compute_at(consumer, outer.back()));
  const std::string init = TRY(draft.decompose_reduction(block.name, rows[0]));
  for (const std::size_t iter : streamed->sharing) TRY_VOID(draft.unroll(loops[iter]));
  TRY_VOID(draft.unroll(rows[1]));
  TRY_VOID(draft.vectorize(vectors[1]));
  TRY_VOID(draft.vectorize(TRY(draft.loops(init)).back()));
  TRY(vectorize_along_memory(draft, consumer, mirrored, lanes));
  return parallelise(draft, outer,
                     static_cast<double>(streamed->bytes) / machine.l2_bytes_per_cycle());
}

}  // namespace loopglass::schedule
