// Tensor expressions as text: what to_string (te.h) prints, and a shorter form to write by hand.
//
//   symbols n = 1000                           symbolic extents, from 0, and what they usually are
//   input A: float32[n, 512]
//   constant W: float32[512, 64]               an input whose values do not change between runs
//   C: float32[n, 64]
//     C[i, j] = sum over k < 512 of A[i, k] * W[k, j]
//   output C
//
// Shorter: a tensor's type follows from its body, an extent that is not said from the first tensor
// that the axis indexes alone, and outputs are the tensors that nothing reads.
//
//   input A: float32[n, 512]
//   constant W: float32[512, 64]
//   product[i, j] = sum over k of A[i, k] * W[k, j]
//   C[i, j] = max(product[i, j], 0)
//
// A whole number or decimal without a suffix takes the type of what it is combined with. Comments
// begin with //.
#pragma once

#include "core/support/result.h"
#include "core/support/text_cursor.h"
#include "core/te/te.h"

#include <map>
#include <string_view>

namespace loopglass::te {

struct Parsed {
  Program program;
  std::vector<std::string> constants;            // of the inputs
  std::map<std::string, std::int64_t> defaults;  // of symbols
  std::map<std::string, int> lines;              // from 1: where each tensor is declared
};

// The reducer whose name stands next.
std::optional<Reducer> accept_reducer(TextCursor& cursor);

// TextMalformed, with line, column and a caret.
Result<Parsed> parse(std::string_view text);
// The inverse.
std::string to_text(const Parsed& parsed);

}  // namespace loopglass::te
