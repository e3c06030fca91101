// Pieces of the normalising operators that others use.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

// The parts of normalisation() that have files of their own: LRN and LpNormalization; Softmax,
// LogSoftmax and Hardmax.
std::vector<OpDef> scaling_operators();
std::vector<OpDef> softmax_operators();

// An operator from X to a Y of the same shape, of its own name in ONNX from the first opset on;
// infer and compute are still to be set.
OpDef normaliser(std::string name, std::string doc, std::vector<AttributeSpec> attributes);

// The logarithm of the softmax of x over its axes in [first, end) at once.
te::Tensor log_softmax(te::Builder& builder, const te::Tensor& x, std::size_t first,
                       std::size_t end, const std::string& name);

}  // namespace loopglass::ops
