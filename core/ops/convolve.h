// Convolution of N x C x spatial by K x C/groups x kernel, for every element type: what Conv and
// its integer forms share.
#pragma once

#include "core/ops/window.h"

namespace loopglass::ops {

struct Convolution {
  Window window;
  std::int64_t groups, group_channels, group_filters;  // channels and filters of one group
  Shape output;
};

// The attributes of a convolution, and what they come to: group, kernel_shape and what window_of
// reads.
std::vector<AttributeSpec> convolution_attributes();
Result<Convolution> convolution_of(const TensorType& x, const TensorType& w,
                                   const Attributes& attributes);

// output[n, k, o...] = sum over c, kernel of term(x[n, c, o * stride + kernel * dilation], w[k, c,
// kernel], k). x is padded already.
te::Tensor convolve(te::Builder& builder, const std::string& name, const te::Tensor& x,
                    const te::Tensor& w, const Convolution& convolution,
                    const std::function<Expr(Expr x, Expr w, const Expr& filter)>& term);

}  // namespace loopglass::ops
