// Where ONNX keeps the axes of images: batch, channels, then those that windows slide over.
#pragma once

#include <cstddef>

namespace loopglass::ops {

inline constexpr std::size_t channel_axis = 1, first_spatial = 2;

}  // namespace loopglass::ops
