// Folds Mul, Div, Add and Sub with constants into the weights and biases beside them.
//
//   y = Mul(Add(Conv(x, w), const t), const f)    =>    y = Conv(x, f w, f t)
//
// The constant is one number, or one a channel. Into the weights before it, or, where all its sums
// are over data, after it (affine_folding.h). After constant folding and batch-norm folding, beside
// whose weights it may come to stand.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> fold_scale_and_bias(const graph::Graph& graph, pass::Report& report);
pass::Words fold_scale_and_bias_words();

}  // namespace loopglass::passes
