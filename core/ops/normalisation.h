// Pieces of the normalising operators that others use.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

// Softmax, LogSoftmax and Hardmax; part of normalisation().
std::vector<OpDef> softmax_operators();

// The logarithm of the softmax of x over its axes in [first, end) at once.
te::Tensor log_softmax(te::Builder& builder, const te::Tensor& x, std::size_t first,
                       std::size_t end, const std::string& name);

}  // namespace loopglass::ops
