// Straight lines over a whole index, with rational coefficients, and their floors in 64 bits.
#pragma once

#include "core/ops/fraction.h"

#include <cstdint>
#include <optional>
#include <span>

namespace loopglass::ops {

// (slope * x + offset) / divisor; the divisor is positive.
struct SamplingLine {
  Wide slope = 1, offset = 0, divisor = 1;

  Wide floor_at(std::int64_t x) const { return floor_divide(slope * x + offset, divisor); }
};

// floor((slope * x + offset) / divisor)
struct IndexForm {
  std::int64_t slope, offset, divisor;
};

// The form with the smallest divisor that gives these floors, one or more, for x = 0, 1, ... There
// is one where they are the line's own, and perhaps where some have been moved.
std::optional<IndexForm> simplest(const SamplingLine& line, std::span<const std::int64_t> floors);

}  // namespace loopglass::ops
