// Folds an inference-time batch normalisation into the convolution before it.
//
//   y = BatchNormalization(Conv(x, w, b), gamma, beta, mean, var)    =>    y = Conv(x, w', b')
//   w' = w * gamma / sqrt(var + epsilon)        (per output channel)
//   b' = (b - mean) * gamma / sqrt(var + epsilon) + beta
//
// After constant folding, so that all parameters are constants. New weights are computed in double
// precision; results differ from the unfolded graph by rounding.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> fold_batch_normalisation(const graph::Graph& graph, pass::Report& report);

}  // namespace loopglass::passes
