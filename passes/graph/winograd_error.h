// What minimal filtering costs in precision, measured.
#pragma once

#include "core/tensor/tensor.h"

namespace loopglass::passes {

// Root mean squares of the difference from the sum in float64, over that of the sums themselves.
struct WinogradError {
  double convolution = 0;  // sums in float32, term by term
  double filtering = 0;
};

// Of some filters (K x C x 3 x 3, float32) with the weights that they have, on tiles of random
// numbers, the same ones always.
WinogradError winograd_error(const Tensor& weights, std::int64_t tile);

}  // namespace loopglass::passes
