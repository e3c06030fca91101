#include "core/default_schedule/near_copies.h"

#include "core/default_schedule/loop_cost.h"
#include "core/expr/rewrite.h"
#include "core/expr/simplify.h"
#include "core/loop/blocks.h"
#include "core/loop/buffers.h"
#include "core/support/ceil_div.h"

#include <algorithm>

namespace loopglass::schedule {

using namespace loop;

namespace {

// The block that makes the operand, if none but the sum reads it; else null.
const Block* maker_of(const Func& func, const BlockAnalysis& sum, const Operand& operand) {
  if (operand.is_store || operand.parameter) return nullptr;
  const auto makers = writers_of(func.body, operand.buffer);
  const auto readers = readers_of(func.body, operand.buffer);
  return makers.size() == 1 && readers.size() == 1 && readers[0]->name == sum.name &&
                 !has_reduction(*makers[0])
             ? makers[0]
             : nullptr;
}

// Whether each of the iterations has a part of the operand to itself: a dimension each.
bool are_apart(const Operand& operand, const BlockAnalysis& sum,
               const std::vector<std::size_t>& iters) {
  return std::ranges::all_of(iters, [&](std::size_t iter) {
    return sum.extents[iter] == 1 || std::ranges::any_of(operand.indices, [&](const Expr& index) {
             const auto* variable = index.as<expr::Variable>();
             return variable && variable->name == sum.iter_names[iter];
           });
  });
}

// Of a copy that is more than so many times the second cache: with 3 to 6 MiB beside 1 there is no
// difference.
constexpr std::int64_t worth_bands = 4;
// Rows that neighbouring bands share are made for each: at most as many as those of one. (With 96
// channels of 256 pixels a row that is two and two: 36 ms where a copy of all takes 45.)
constexpr double most_shared = 1;
// Of parts of rows, both ways together. (Those of 8 x 8 rows of an image of three dimensions, of
// which each makes half as much again, took 1.03 of the time.)
constexpr double most_shared_by_parts = 0.3;
// With fewer bands to a core, one of them would wait for the last.
constexpr std::int64_t least_bands_per_core = 4;

class BandChooser {
 public:
  BandChooser(const Func& func, const BlockAnalysis& sum, const TilePlan& plan,
              const Operand& operand, const Machine& machine)
      : func_(func), sum_(sum), plan_(plan), operand_(operand), machine_(machine) {}

  std::optional<Band> choose() const {
    Band band;
    std::int64_t images = 1;
    for (std::size_t a = 0; a < sum_.axes.size(); ++a) {
      const auto iter = lone_iteration(sum_.axes[a], sum_);
      if (iter ? !operand_.uses(*iter) : sum_.axes[a].extent == 1) continue;
      if (!iter) break;
      if (are_apart(operand_, sum_, {*iter})) {
        if (a == plan_.vector_axis || a == plan_.repeat_axis) break;
        band.images.push_back(*iter);
        images *= sum_.extents[*iter];
        continue;
      }
      const auto reading = reading_of(a, *iter);
      if (!reading) break;
      const std::int64_t row_bytes =
          std::max<std::int64_t>(bytes_of(operand_) / images / reading->length, 1);
      if (const auto rows = rows_of(*reading, row_bytes, images)) {
        if (rows->count == reading->extent && images == 1) break;
        if (rows->count < reading->extent) band.row = *iter;
        band.rows = rows->count;
      } else if (!cut_rows(band, a, *reading, row_bytes, images)) {
        break;
      }
      return is_worth(bands(band, images, reading->extent)) ? std::optional(band) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  // How an iteration of the sum walks along a dimension of the copy: each reads `window` of it,
  // `stride` further than the one before.
  struct Reading {
    std::size_t iter;
    std::int64_t stride, window;
    std::int64_t extent;  // of the iteration
    std::int64_t length;  // of the dimension
    std::int64_t tile;    // iterations that a tile takes together

    std::int64_t read_by(std::int64_t iterations) const {
      return (iterations - 1) * stride + window;
    }
    // What neighbouring parts of so many iterations both make, of what each does.
    double made_twice(std::int64_t iterations) const {
      return static_cast<double>(std::max<std::int64_t>(window - stride, 0)) /
             static_cast<double>(iterations * stride);
    }
  };
  std::optional<Reading> reading_of(std::size_t axis, std::size_t iter) const {
    const std::string& walking = sum_.iter_names[iter];
    const auto uses_it = [&](const Expr& index) { return expr::uses_variable(index, walking); };
    if (std::ranges::count_if(operand_.indices, uses_it) != 1) return std::nullopt;
    const auto index = std::ranges::find_if(operand_.indices, uses_it);
    const auto stride = expr::coefficient(*index, walking);
    if (!stride || *stride < 1) return std::nullopt;
    std::int64_t window = 1;
    for (const std::string& name : expr::variables_of(*index)) {
      if (name == walking) continue;
      const auto step = expr::coefficient(*index, name);
      const auto place = static_cast<std::size_t>(std::ranges::find(sum_.iter_names, name) -
                                                  sum_.iter_names.begin());
      if (!step || *step < 0 || std::ranges::find(sum_.reductions, place) == sum_.reductions.end())
        return std::nullopt;
      window += *step * (sum_.extents[place] - 1);
    }
    const auto dimension = static_cast<std::size_t>(index - operand_.indices.begin());
    const auto buffers = loop::buffers_of(func_);
    const auto length =
        expr::as_integer(loop::find_buffer(buffers, operand_.buffer)->shape[dimension]);
    if (!length || *length < 1) return std::nullopt;
    return Reading{iter, *stride, window, sum_.extents[iter], *length, tile_of(axis)};
  }
  std::int64_t tile_of(std::size_t axis) const {
    return axis == plan_.vector_axis   ? plan_.vector_length
           : axis == plan_.repeat_axis ? plan_.repeats
                                       : 1;
  }

  struct Rows {
    std::int64_t count = 0;
    double time = 0;  // relative
  };
  // Of the sum, as many to a band as leave three eighths of the second cache for what else is read,
  // and whole tiles of so many. `parts`: images, or parts of their rows.
  std::optional<Rows> rows_of(const Reading& read, std::int64_t row_bytes,
                              std::int64_t parts) const {
    const std::int64_t room = machine_.l2.bytes * 5 / 8 / row_bytes;
    if (room < read.window) return std::nullopt;
    const std::int64_t most = std::min(read.extent, (room - read.window) / read.stride + 1);
    const std::int64_t least = std::max(ceil_div(read.extent, most),
                                        ceil_div(machine_.cores * least_bands_per_core, parts));
    if (least == 1) return Rows{read.extent, relative_time(parts, read, read.extent)};
    std::optional<Rows> best;
    for (std::int64_t bands = least; bands <= 2 * least; ++bands) {
      const std::int64_t rows =
          std::min(ceil_div(read.extent, bands * read.tile), most / read.tile) * read.tile;
      if (rows == 0 || read.made_twice(rows) > most_shared) break;
      const double time = relative_time(parts, read, rows);
      if (!best || time < best->time) best = Rows{rows, time};
    }
    return best;
  }

  // A part of each row to a band, where whole rows are too long; whether that will do.
  bool cut_rows(Band& band, std::size_t row_axis, const Reading& rows, std::int64_t row_bytes,
                std::int64_t images) const {
    constexpr std::int64_t most_parts = 16;
    double least_time = 0;
    for (std::size_t a = row_axis + 1; a < sum_.axes.size(); ++a) {
      const auto iter = lone_iteration(sum_.axes[a], sum_);
      if (!iter || !operand_.uses(*iter)) continue;
      const auto along = reading_of(a, *iter);
      if (!along) return false;
      for (std::int64_t parts = 2; parts <= most_parts; ++parts) {
        const std::int64_t columns = ceil_div(along->extent, parts * along->tile) * along->tile;
        const std::int64_t bytes = row_bytes * along->read_by(columns) / along->length;
        const auto chosen = rows_of(rows, std::max<std::int64_t>(bytes, 1),
                                    images * ceil_div(along->extent, columns));
        if (!chosen) continue;
        const double made = (1 + rows.made_twice(chosen->count)) * (1 + along->made_twice(columns));
        const double time =
            chosen->time + copying * along->made_twice(columns) + unevenness(*along, columns);
        if (made > 1 + most_shared_by_parts || (band.column && time >= least_time)) continue;
        least_time = time;
        band.row = rows.iter;
        band.rows = chosen->count;
        band.column = *iter;
        band.columns = columns;
      }
      return band.column.has_value();
    }
    return false;
  }

  static constexpr double copying = 0.1, uneven = 0.1;
  // Where the last part is smaller all ask whether they are it.
  static double unevenness(const Reading& read, std::int64_t iterations) {
    return read.extent % iterations == 0 ? 0 : uneven;
  }
  // Of bands of so many rows: the cores wait for the last of them, and a part of each copy is made
  // twice.
  double relative_time(std::int64_t parts, const Reading& read, std::int64_t rows) const {
    const std::int64_t bands = parts * ceil_div(read.extent, rows);
    const auto waiting = static_cast<double>(ceil_div(bands, machine_.cores) * machine_.cores) /
                         static_cast<double>(bands);
    return waiting + copying * read.made_twice(rows) + unevenness(read, rows);
  }

  std::int64_t bands(const Band& band, std::int64_t images, std::int64_t rows) const {
    return images * ceil_div(rows, band.rows) *
           (band.column ? ceil_div(sum_.extents[*band.column], band.columns) : 1);
  }

  // What is read for each band again, and is in no near cache any more, has to be less than what
  // the bands keep near.
  bool is_worth(std::int64_t bands) const {
    std::int64_t again = 0;
    for (std::size_t o = 1; o < sum_.operands.size(); ++o)
      if (const Operand& other = sum_.operands[o];
          other.buffer != operand_.buffer && bytes_of(other) > machine_.l2.bytes / 2)
        again += bytes_of(other) * (bands - 1);
    return again <= bytes_of(operand_);
  }

  const Func& func_;
  const BlockAnalysis& sum_;
  const TilePlan& plan_;
  const Operand& operand_;
  const Machine& machine_;
};

}  // namespace

Result<void> bring_band_near(Draft& draft, const BlockAnalysis& sum, const std::string& maker,
                             const std::string& loop, const Machine& machine) {
  const Draft::Names loops = TRY(draft.compute_at(maker, loop));
  if (loops.empty()) return fail(Code::ScheduleIllegal, "nothing is left to walk along", maker);
  const std::int64_t lanes = machine.lanes(sum.widest_bytes);
  return draft.vectorize(TRY(draft.split(loops.back(), {-1, 2 * lanes}))[1]);
}

std::optional<Band> band_of(const Func& func, const BlockAnalysis& sum, const TilePlan& plan,
                            const Machine& machine) {
  for (std::size_t o = 1; o < sum.operands.size(); ++o) {
    const Operand& operand = sum.operands[o];
    const Block* maker = maker_of(func, sum, operand);
    if (!maker || bytes_of(operand) <= worth_bands * machine.l2.bytes) continue;
    if (auto band = BandChooser(func, sum, plan, operand, machine).choose()) {
      band->maker = maker->name;
      return band;
    }
  }
  return std::nullopt;
}

Result<bool> bring_copies_near(Draft& draft, const BlockAnalysis& sum, const OuterLoops& outer,
                               const Machine& machine) {
  std::int64_t parts = 1;
  for (const std::size_t iter : outer.iters) parts *= sum.extents[iter];
  if (outer.names.empty() || parts < least_chunks) return false;
  bool has_moved = false;
  for (const Operand& operand : sum.operands) {
    const Block* maker = maker_of(draft.func(), sum, operand);
    // Half of the cache is for what else the sum reads.
    if (!maker || !are_apart(operand, sum, outer.iters) ||
        bytes_of(operand) / parts > machine.l2.bytes / 2)
      continue;
    const std::string name = maker->name;
    Draft attempt = draft;
    if (!bring_band_near(attempt, sum, name, outer.names.back(), machine)) continue;
    draft = std::move(attempt);
    has_moved = true;
  }
  return has_moved;
}

}  // namespace loopglass::schedule
