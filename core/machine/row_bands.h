// Whether products that follow one another row by row, as attention's do, had better be computed in
// bands of rows, and how many rows stay near: what fusion (fusion/row_chain.h) and the default
// schedule (default_schedule/row_chain.h) both go by.
#pragma once

#include "core/machine/machine.h"

#include <cstdint>

namespace loopglass {

// What the first of the products hands on.
struct HandedOnRows {
  std::int64_t images = 1, rows = 1;  // of each image
  std::int64_t row_bytes = 0;
  // Of what all bands of an image read, as its keys and values: of each such operand.
  std::int64_t first_operand_bytes = 0, second_operand_bytes = 0;

  std::int64_t bytes() const { return images * rows * row_bytes; }
};

enum class BandsVerdict : std::uint8_t {
  Worth,
  LittleIsHandedOn,  // all of it stays near
  FewRows,           // of one image: a band would be all of them
  RowsTooLong,       // a few of them do not stay near
  MuchIsReadAgain    // more than what is handed on would take
};

struct RowBands {
  BandsVerdict verdict = BandsVerdict::Worth;
  std::int64_t most_rows = 0;  // of a band
  // What decided, in bytes or rows, and what it was held against.
  std::int64_t found = 0, limit = 0;
};

RowBands row_bands(const HandedOnRows& handed_on, const Machine& machine);

}  // namespace loopglass
