// What operators and transforms are estimated to take in each layout.
#pragma once

#include "core/machine/machine.h"
#include "passes/graph/layout/operators.h"

namespace loopglass::passes::layout {

// Microseconds of one thread of the machine, by its rates; what counts is how they compare. A dense
// convolution's time is the sum of what its input's layout and its output's layout make of it, and
// of `back_to_nchw` where it reads another layout and writes NCHW.
struct Cost {
  std::array<double, choice_count> input{}, output{};
  double back_to_nchw = 0;
};

Cost cost_of(const graph::Graph& graph, const Operator& op, const Machine& machine);

// Of bringing an image from one layout into another; little where only its extents change.
double transform_cost(const TensorType& image, Choice from, Choice to, const Machine& machine);

}  // namespace loopglass::passes::layout
