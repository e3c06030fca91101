// Transposed convolution, in any number of spatial dimensions, with groups, strides and dilations:
// what its attributes come to.
//
//   output[n, k, i * stride + r * dilation - pad_begin] += x[n, c, i] * w[c, k, r]
#pragma once

#include "core/ops/convolve.h"

namespace loopglass::ops {

struct TransposedAxis {
  std::int64_t input, kernel, stride, dilation, pad_begin = 0, output = 0;

  // Elements from the first to the last over which one element of x spreads.
  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

struct TransposedConvolution {
  std::vector<TransposedAxis> axes;
  // The convolution, by the kernel turned round, of x with stride - 1 zeros between its elements
  // and padding already; strides 1.
  Convolution convolution;
};

bool is_transposed_convolution(const OpDef& op);

// Of a node whose inputs have these types.
Result<TransposedConvolution> transposed_convolution_of(const TensorType& x, const TensorType& w,
                                                        const Attributes& attributes);

}  // namespace loopglass::ops
