// The arithmetic of folding a scale and a shift into weights, apart from any graph.
#pragma once

#include "core/ops/weighted_sum.h"
#include "passes/graph/missed_rewrite.h"

#include <expected>

namespace loopglass::passes {

// A weighted sum with constant weights; the bias is undefined where there is none.
struct Weights {
  ops::WeightedSum sum;
  Tensor weights, bias;
};

// What stands in their place; undefined where it stays as it was. `bias` counts with factor 1.
struct FoldedWeights {
  Tensor weights, bias;
};

// factor * result + offset, and operator(factor * data + offset): one number each a channel.
// NOT_FINITE and UNDERFLOW where the element type cannot hold the numbers.
std::expected<FoldedWeights, MissedRewrite> scale_result(const Weights& of,
                                                         std::span<const double> factors,
                                                         std::span<const double> offsets);
std::expected<FoldedWeights, MissedRewrite> scale_data(const Weights& of,
                                                       std::span<const double> factors,
                                                       std::span<const double> offsets);

}  // namespace loopglass::passes
