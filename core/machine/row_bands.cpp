#include "core/machine/row_bands.h"

#include "core/support/ceil_div.h"

#include <algorithm>

namespace loopglass {

namespace {

// Products of 2 to 3 MiB beside a second cache of 1 take longer in bands.
constexpr std::int64_t worth_caches = 4;
// Buffers of a band that one nest hands to the next: scores, and their softmax. Each is written and
// read.
constexpr std::int64_t buffers = 2, accesses = 4;
// Else the last bands would leave some cores without work.
constexpr std::int64_t least_bands_per_core = 4;
constexpr std::int64_t most_rows = 256;
// Fewer would load the keys and values too often, wherever what they hand on then lies.
constexpr std::int64_t least_rows = 12;

// Bytes that come from the third cache or memory for each band of an image but the first, since
// they are more than stays near: keys and values of very many columns, weights. Those from the
// third cache count less.
std::int64_t read_again(std::int64_t operand_bytes, std::int64_t images, std::int64_t bands,
                        const Machine& machine) {
  if (operand_bytes <= machine.l2.bytes / 2) return 0;
  const double share =
      operand_bytes <= machine.l3.bytes / 2
          ? std::min(1.0, machine.memory_gigabytes_per_second / machine.l3.gigabytes_per_second)
          : 1;
  return static_cast<std::int64_t>(share * static_cast<double>(operand_bytes) *
                                   static_cast<double>(images * (bands - 1)));
}

}  // namespace

RowBands row_bands(const HandedOnRows& handed_on, const Machine& machine) {
  const std::int64_t images = handed_on.images, rows = handed_on.rows,
                     row_bytes = std::max<std::int64_t>(handed_on.row_bytes, 1);
  const std::int64_t enough = worth_caches * machine.l2.bytes;
  if (handed_on.bytes() <= enough)
    return {BandsVerdict::LittleIsHandedOn, 0, handed_on.bytes(), enough};
  if (images == 1 && rows <= least_rows) return {BandsVerdict::FewRows, 0, rows, least_rows};
  // A quarter of the cache is for what else a band reads.
  const std::int64_t longest = machine.l2.bytes * 3 / 4 / (buffers * least_rows);
  if (row_bytes > longest) return {BandsVerdict::RowsTooLong, 0, row_bytes, longest};
  const std::int64_t room = machine.l2.bytes / 2 / (buffers * row_bytes);
  const std::int64_t busy = ceil_div(rows, ceil_div(machine.cores * least_bands_per_core, images));
  const std::int64_t most =
      std::clamp(std::min({room, busy, most_rows}), std::min(least_rows, rows), rows);
  const std::int64_t bands = ceil_div(rows, most);
  const std::int64_t again = read_again(handed_on.first_operand_bytes, images, bands, machine) +
                             read_again(handed_on.second_operand_bytes, images, bands, machine);
  if (again > accesses * handed_on.bytes())
    return {BandsVerdict::MuchIsReadAgain, 0, again, accesses * handed_on.bytes()};
  return {BandsVerdict::Worth, most, handed_on.bytes(), enough};
}

}  // namespace loopglass
