// Batch normalisation by stored statistics, as passes see it: a scale and a shift of each channel.
//
//   y = scale (x - mean) / sqrt(variance + epsilon) + shift
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

struct StoredStatistics {
  static constexpr std::size_t data = 0, scale = 1, shift = 2, mean = 3, variance = 4;  // operands
  double epsilon;
  bool of_the_batch;  // the stored ones are not used
};

// Nothing for other operators.
std::optional<StoredStatistics> stored_statistics_of(const OpDef& op, const Attributes& attributes);

}  // namespace loopglass::ops
