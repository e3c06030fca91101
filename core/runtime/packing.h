// Constants in the layout their kernels want.
#pragma once

#include "core/loop/func.h"
#include "core/tensor/tensor.h"

namespace loopglass::runtime {

// The same result as loop::pack, fast where the packing's index map is affine.
Tensor pack_constant(const loop::Buffer& parameter, const Tensor& constant);

// What distinguishes one packing of a constant from another: its memory and the index map.
std::string packing_key(const Tensor& constant, const loop::Buffer& parameter);

}  // namespace loopglass::runtime
