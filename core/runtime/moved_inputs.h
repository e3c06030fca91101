// Inputs that are a little different, to see how far a network carries that: it does as much with
// what rounding changes on the way, so that results may be so far apart for no fault.
#pragma once

#include "core/tensor/tensor.h"

namespace loopglass::runtime {

// Each float32 or float64 by a millionth of itself, up or down, as `seed` has it.
Tensor moved_by_a_millionth(const Tensor& input, std::uint64_t seed);

}  // namespace loopglass::runtime
