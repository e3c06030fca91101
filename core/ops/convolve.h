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

// What Conv and ConvTranspose share. Ranks, and one element type among x, w and the bias.
Result<void> check_convolution_operands(const InferContext& context);
Result<void> check_convolution_bias(const InferContext& context, std::int64_t filters);
Result<void> check_kernel_shape(const Attributes& attributes, const Shape& weights);

// Which channel of x is the c-th of the group that filter k belongs to.
Expr channel_of(const Convolution& convolution, const Expr& k, const Expr& c);
// A depthwise convolution has no channels to sum over.
bool sums_channels(const Convolution& convolution);

// What the stage that sums is called, and the last stages: bias and the way back to the element
// type.
std::string convolution_sum_name(const ComputeContext& context);
te::Tensor finish_convolution(ComputeContext& context, const te::Tensor& sum);

}  // namespace loopglass::ops
