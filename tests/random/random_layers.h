// Layers that are drawn with all that belongs to them: recurrent ones, convolutions and products of
// quantised tensors, sampled and resized images. What they are applied to is the caller's.
#pragma once

#include "core/ops/attributes.h"
#include "core/tensor/tensor.h"

#include <optional>
#include <random>

namespace loopglass::test {

struct Layer {
  std::string op;
  // Constants by the operator's inputs: nothing where the data comes in, an undefined tensor where
  // an optional input is left out.
  std::vector<std::optional<Tensor>> inputs;
  ops::Attributes attributes = {};
  std::size_t outputs = 1;
};

// RNN, GRU or LSTM over a tensor of this type, of rank 3. Where results must not jump, no
// activation does.
Layer random_recurrent(std::mt19937& random, const TensorType& x, bool jumps);
// GridSample of an image, with a grid of its own or, where it has none, one that comes in.
Layer random_grid_sample(std::mt19937& random, const TensorType& image, bool own_grid, bool jumps);
// Resize of an image's spatial axes, to sizes of a few elements or by scales.
Layer random_resize(std::mt19937& random, const TensorType& image);
// A convolution or matrix product of an 8-bit tensor, to 32 bits or to 8 again.
Layer random_quantised(std::mt19937& random, const TensorType& bytes);
// QuantizeLinear and DequantizeLinear, by one scale or by one for every index of an axis.
Layer random_quantisation(std::mt19937& random, const TensorType& x);
Layer random_dequantisation(std::mt19937& random, const TensorType& x);

}  // namespace loopglass::test
