#include "core/default_schedule/row_chain.h"

#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/machine/row_bands.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace loopglass::schedule {

using namespace loop;

namespace {

using Iters = std::vector<std::size_t>;

// Of the time, where the last band is smaller.
constexpr double copied_code = 0.02;

// The ways to put a sum into tiles within an image, in bands of the rows that one of its iterations
// goes through.
class Tiles {
 public:
  Tiles(const BlockAnalysis& sum, Iters images, std::optional<std::size_t> row,
        const Machine& machine)
      : sum_(unmerged(sum)),
        images_(std::move(images)),
        row_(row),
        plans_(tile_plans(sum_, machine)) {}

  const TilePlan& in_band(std::int64_t rows) const {
    const auto whole = std::ranges::find_if(plans_, [&](const TilePlan& plan) {
      return fits(plan.repeat_axis, plan.repeats, rows) &&
             fits(plan.vector_axis, plan.vector_length, rows);
    });
    return whole == plans_.end() ? plans_.front() : *whole;
  }

 private:
  bool fits(const std::optional<std::size_t>& axis, std::int64_t length, std::int64_t rows) const {
    const auto iter = axis ? lone_iteration(sum_.axes[*axis], sum_) : std::nullopt;
    return !iter || (std::ranges::find(images_, *iter) == images_.end() &&
                     (iter != row_ || rows % length == 0));
  }

  BlockAnalysis sum_;
  Iters images_;
  std::optional<std::size_t> row_;
  std::vector<TilePlan> plans_;  // the fewest cycles first
};

class ChainFinder {
 public:
  ChainFinder(const Func& func, const Machine& machine)
      : func_(func), machine_(machine), buffers_(loop::buffers_of(func)) {
    for (const Block* block : blocks_of(func.body)) blocks_.push_back(analyse(func, block->name));
  }

  std::vector<RowChain> all() {
    std::vector<RowChain> chains;
    for (std::size_t first = 0; first < blocks_.size(); ++first)
      if (auto found = chain_from(first)) {
        chains.push_back(std::move(found->chain));
        first = found->last;
      }
    return chains;
  }

 private:
  struct Found {
    RowChain chain;
    std::size_t last;
  };

  std::optional<Found> chain_from(std::size_t first) {
    const auto& start = blocks_[first];
    if (!start || !is_product(*start) || start->store().parameter) return std::nullopt;
    rows_.clear();
    shape_ = shape_of(start->buffer);
    for (std::size_t d = 0; d + 1 < shape_.size(); ++d)
      if (shape_[d] > 1) rows_.push_back(d);
    if (rows_.empty()) return std::nullopt;
    std::vector<Iters> iters{*row_iters(*start, start->store())};
    std::set<std::string> handed{start->buffer};
    std::optional<std::size_t> last;
    for (std::size_t next = first + 1; next < blocks_.size(); ++next) {
      const auto& block = blocks_[next];
      const auto own = block ? rows_read(*block, handed) : std::nullopt;
      if (!own) break;
      iters.push_back(*own);
      if (is_product(*block)) last = next;
      if (!block->store().parameter && row_iters(*block, block->store()) == *own)
        handed.insert(block->buffer);
    }
    if (!last) return std::nullopt;
    const auto epilogue = epilogue_of(func_, blocks_[*last]->name);
    if (*last + 1 < first + iters.size() && epilogue == blocks_[*last + 1]->name) ++*last;
    if (!stays_inside(first, *last)) return std::nullopt;
    return written(first, *last, iters);
  }

  static bool is_product(const BlockAnalysis& block) {
    return !block.reductions.empty() && block.multiplies_and_adds;
  }
  std::vector<std::int64_t> shape_of(const std::string& buffer) const {
    std::vector<std::int64_t> shape;
    for (const Expr& extent : loop::find_buffer(buffers_, buffer)->shape)
      shape.push_back(expr::as_integer(extent).value_or(0));
    return shape;
  }

  // The iterations, none of them summed over, that the dimensions of rows are indexed by; nullopt:
  // something else does, or they are not as many.
  std::optional<Iters> row_iters(const BlockAnalysis& block, const Operand& operand) const {
    const std::vector<std::int64_t> shape = shape_of(operand.buffer);
    if (operand.indices.size() <= rows_.back()) return std::nullopt;
    Iters iters;
    for (const std::size_t d : rows_) {
      const auto* variable = operand.indices[d].as<expr::Variable>();
      const auto iter = static_cast<std::size_t>(
          std::ranges::find(block.iter_names, variable ? variable->name : "") -
          block.iter_names.begin());
      if (shape[d] != shape_[d] || iter == block.iter_names.size() ||
          block.extents[iter] != shape_[d] ||
          std::ranges::find(block.reductions, iter) != block.reductions.end())
        return std::nullopt;
      iters.push_back(iter);
    }
    return iters;
  }

  // The same of all that it reads of what has been handed on; nullopt: it reads nothing, or
  // otherwise.
  std::optional<Iters> rows_read(const BlockAnalysis& block,
                                 const std::set<std::string>& handed) const {
    std::optional<Iters> iters;
    for (std::size_t o = 1; o < block.operands.size(); ++o) {
      if (!handed.contains(block.operands[o].buffer)) continue;
      const auto own = row_iters(block, block.operands[o]);
      if (!own || (iters && iters != own)) return std::nullopt;
      iters = own;
    }
    return iters;
  }

  // Whether nobody else reads what the chain's blocks hand on.
  bool stays_inside(std::size_t first, std::size_t last) const {
    std::set<std::string> members;
    for (std::size_t b = first; b <= last; ++b) members.insert(blocks_[b]->name);
    for (std::size_t b = first; b < last; ++b)
      for (const Block* reader : readers_of(func_.body, blocks_[b]->buffer))
        if (!members.contains(reader->name)) return false;
    return true;
  }

  std::optional<Found> written(std::size_t first, std::size_t last,
                               const std::vector<Iters>& iters) const {
    HandedOnRows handed_on;
    for (std::size_t d = 0; d + 1 < rows_.size(); ++d) handed_on.images *= shape_[rows_[d]];
    const std::int64_t extent = handed_on.rows = shape_[rows_.back()];
    handed_on.row_bytes = bytes_of(blocks_[first]->store()) / (handed_on.images * extent);
    for (std::size_t b = first; b <= last; ++b)
      for (const Operand& operand : blocks_[b]->operands)
        count_read_again(operand, iters[b - first], handed_on);
    const RowBands bands = row_bands(handed_on, machine_);
    if (bands.verdict != BandsVerdict::Worth) return std::nullopt;
    const std::int64_t rows = rows_together(first, last, iters, bands.most_rows, extent);
    if (handed_on.images == 1 && rows == extent) return std::nullopt;
    Found found{{}, last};
    for (std::size_t b = first; b <= last; ++b) {
      const BlockAnalysis& block = *blocks_[b];
      found.chain.blocks.push_back(block.name);
      if (block.reductions.empty()) continue;
      const Iters& own = iters[b - first];
      Band band{{}, {own.begin(), own.end() - 1}, own.back(), rows};
      if (rows == extent) band.row.reset();
      found.chain.bands.emplace(block.name, std::move(band));
    }
    return found;
  }

  // Of what all bands of an image read the two largest.
  static void count_read_again(const Operand& operand, const Iters& own, HandedOnRows& handed_on) {
    if (operand.uses(own.back())) return;
    const bool is_of_image = std::any_of(own.begin(), own.end() - 1,
                                         [&](std::size_t iter) { return operand.uses(iter); });
    std::int64_t bytes = bytes_of(operand) / (is_of_image ? handed_on.images : 1);
    if (bytes > handed_on.first_operand_bytes) std::swap(bytes, handed_on.first_operand_bytes);
    handed_on.second_operand_bytes = std::max(handed_on.second_operand_bytes, bytes);
  }

  // As many, or a third less, of which the products' tiles take fewest cycles.
  std::int64_t rows_together(std::size_t first, std::size_t last, const std::vector<Iters>& iters,
                             std::int64_t most, std::int64_t extent) const {
    std::vector<Tiles> tiles;
    for (std::size_t b = first; b <= last; ++b)
      if (is_product(*blocks_[b])) {
        const Iters& own = iters[b - first];
        tiles.emplace_back(*blocks_[b], Iters(own.begin(), own.end() - 1), own.back(), machine_);
      }
    std::int64_t best = most;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t rows = most; rows >= std::max<std::int64_t>(most * 2 / 3, 1); --rows) {
      double cycles = 0;
      for (const Tiles& own : tiles) cycles += own.in_band(rows).cycles;
      cycles *= 1 + copied_code * static_cast<double>(extent % rows != 0);
      if (cycles < least) best = rows, least = cycles;
    }
    return best;
  }

  const Func& func_;
  const Machine& machine_;
  const std::vector<Buffer> buffers_;
  std::vector<std::optional<BlockAnalysis>> blocks_;
  // Of the chain that is looked for: the shape of what its first block hands on, and which of its
  // dimensions, the last one left out, go through more than one row.
  std::vector<std::int64_t> shape_;
  std::vector<std::size_t> rows_;
};

// The outermost loop of each nest.
std::vector<std::string> outermost_loops(Stmt body) {
  while (const auto* allocation = as<loop::Alloc>(body)) body = allocation->body;
  std::vector<std::string> loops;
  const auto* sequence = as<loop::Seq>(body);
  for (const Stmt& nest : sequence ? sequence->statements : std::vector<Stmt>{body})
    if (const For* outermost = as<For>(nest)) loops.push_back(outermost->variable);
  return loops;
}

}  // namespace

std::vector<RowChain> row_chains(const Func& func, const Machine& machine) {
  return ChainFinder(func, machine).all();
}

bool has_bands_apart(const BlockAnalysis& sum, const Band& band) {
  const auto is_alone = [&](std::size_t iter) {
    return std::ranges::any_of(sum.axes,
                               [&](const Axis& axis) { return lone_iteration(axis, sum) == iter; });
  };
  return std::ranges::all_of(band.images, is_alone) && (!band.row || is_alone(*band.row));
}

TilePlan plan_in_band(const BlockAnalysis& sum, const Band& band, const Machine& machine) {
  return Tiles(sum, band.images, band.row, machine).in_band(band.rows);
}

Result<void> join_bands(Draft& draft) {
  for (std::vector<std::string> loops = outermost_loops(draft.func().body); loops.size() > 1;
       loops = outermost_loops(draft.func().body))
    TRY_VOID(draft.compute_with(loops[0], loops[1]));
  return {};
}

}  // namespace loopglass::schedule
