// Heads turned by angles that grow with the place, as ONNX's text: of operators that only turn, and
// of those that compute attention between what is turned.
#pragma once

#include "core/contributed/call.h"

namespace loopglass::contributed {

struct RotarySizes {
  std::int64_t batch = 0, length = 0, heads = 0;
  std::int64_t size = 0;        // elements of a head
  std::int64_t half = 0;        // pairs of them that turn; the rest behind them stays
  bool is_interleaved = false;  // pairs are neighbours, not in the first and the second half
};

// OperatorMisused where a head has no `half` pairs.
Result<void> check_rotary(const RotarySizes& sizes);
// "cos" and "sin", [batch or 1, length, 1, half], of "cos_cache" and "sin_cache" at "places",
// [batch or 1, length].
std::string waves_at_places();
// The same of caches that have the angles of each place already: [batch, length, half].
std::string waves_of_caches();
// `name`, [batch, length, heads, size], of `from`, alike, by "cos" and "sin": computed in float32
// and rounded once.
std::string turned_heads(std::string_view name, std::string_view from, const RotarySizes& sizes);

}  // namespace loopglass::contributed
