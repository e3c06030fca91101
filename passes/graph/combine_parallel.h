// Combines matrix products and convolutions of the same input into one operator with their weights
// side by side, and slices its result.
//
//   q = MatMul(x, wq); k = MatMul(x, wk)    =>    y = MatMul(x, [wq wk]); q = Slice(y); k =
//   Slice(y)
//
// The one operator reads the input once and has more columns to fill vectors with; the slices are
// copies, unless what reads them moves elements anyway. It is done only where the model of
// horizontal_cost.h says that it pays, and a remark has the numbers either way. Each result sums
// the same products as before.
//
// After folding and merging, which bring weights and biases into their last form.
#pragma once

#include "core/machine/machine.h"
#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> combine_parallel(const graph::Graph& graph, pass::Report& report,
                                      const Machine& machine);
pass::Words combine_parallel_words();

}  // namespace loopglass::passes
