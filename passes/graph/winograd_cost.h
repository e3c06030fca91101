// What a 3 x 3 convolution takes, and what it takes by minimal filtering: an estimate from shapes
// and the rates of a machine, in nanoseconds on one core.
#pragma once

#include "core/machine/machine.h"
#include "core/ops/convolve.h"

#include <string>
#include <utility>
#include <vector>

namespace loopglass::passes {

struct WinogradCost {
  double convolution = 0;  // as it stands
  double product = 0;      // the matrix products in the middle
  double transforms = 0;   // both ends
  double by_filtering() const { return product + transforms; }
  bool pays() const { return by_filtering() < convolution; }
  std::vector<std::pair<std::string, double>> numbers() const;
};

// Of two spatial axes, one group, a 3 x 3 kernel, no strides or dilations, float32.
WinogradCost winograd_cost(const ops::Convolution& convolution, std::int64_t tile,
                           const Machine& machine);

}  // namespace loopglass::passes
