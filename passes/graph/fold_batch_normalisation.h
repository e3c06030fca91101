// Folds inference-time batch normalisations into the weights beside them.
//
//   y = BatchNormalization(Conv(x, w, b), gamma, beta, mean, var)    =>    y = Conv(x, w', b')
//   w' = w * gamma / sqrt(var + epsilon)        (per output channel)
//   b' = (b - mean) * gamma / sqrt(var + epsilon) + beta
//
// Conv, ConvTranspose, Gemm and MatMul before it; or, where all its sums are over data, after it
// (affine_folding.h). After constant folding, so that all parameters are constants.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> fold_batch_normalisation(const graph::Graph& graph, pass::Report& report);
pass::Words fold_batch_normalisation_words();

}  // namespace loopglass::passes
