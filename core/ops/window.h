// Sliding windows: what convolution and pooling share. One WindowAxis a spatial axis, with padding
// resolved from `auto_pad` or `pads`.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

struct WindowAxis {
  std::int64_t input, kernel, stride = 1, dilation = 1, pad_begin = 0, pad_end = 0;
  std::int64_t output = 0;

  // Elements from the first to the last that one window touches.
  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
  // Elements from the first to the last that any window touches.
  std::int64_t extent() const { return (output - 1) * stride + reach(); }
  bool needs_padding() const { return pad_begin > 0 || extent() > input; }
  // A window that lies wholly in the padding, the outermost first; nothing where none does.
  std::optional<std::int64_t> window_without_elements() const;
};
using Window = std::vector<WindowAxis>;

// Reads strides, dilations, pads, auto_pad and ceil_mode, each where present, and checks that every
// window fits. A window that ceil_mode would start beyond the input and its leading pad is dropped.
Result<Window> window_of(const Attributes& attributes, std::span<const std::int64_t> input,
                         std::span<const std::int64_t> kernel);

// The attribute when it is there, with one entry a spatial axis, each from `least` up; else
// `fallback`.
Result<Integers> per_axis(const Attributes& attributes, const std::string& name, std::size_t count,
                          std::int64_t fallback, std::int64_t least);

// x with `value` around its trailing (spatial) axes, so that every window lies inside, as elements
// of its type; x itself where that is so already.
te::Tensor pad_for(te::Builder& builder, const te::Tensor& x, const Window& window,
                   const std::string& name, const Expr& value);

// Where tap `r` of window `i` lies along each spatial axis of the padded input.
std::vector<Expr> taps(const Window& window, std::span<const Expr> i, std::span<const Expr> r);
std::vector<Expr> kernel_extents(const Window& window);

}  // namespace loopglass::ops
