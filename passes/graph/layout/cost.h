// What operators and transforms are estimated to take in each layout.
#pragma once

#include "passes/graph/layout/operators.h"

namespace loopglass::passes::layout {

// Microseconds of one thread of the machine the constants were measured on (see cost.cpp); what
// counts is how they compare. A convolution's time is the sum of what its input's layout and its
// output's layout make of it.
struct Cost {
  std::array<double, choice_count> input{}, output{};
  double in(Choice from, Choice to) const {
    return input[static_cast<std::size_t>(from)] + output[static_cast<std::size_t>(to)];
  }
};

Cost cost_of(const graph::Graph& graph, const Operator& op);

// Of bringing an image from one layout into another; nothing where only its extents change.
double transform_cost(const TensorType& image, Choice from, Choice to);

}  // namespace loopglass::passes::layout
