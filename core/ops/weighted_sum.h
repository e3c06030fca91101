// Operators that sum the products of data and weights, as passes see them: Conv, ConvTranspose,
// MatMul and Gemm are one thing to whoever folds a scale into weights or lays weights side by side.
//
//   result = product_factor * (data . weights) + bias_factor * bias
//
// Each weight joins one input channel to one output channel. Weights are seen as first x second x
// rest (kernel elements).
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

struct WeightedSum {
  static constexpr std::size_t data = 0, weights = 1, bias = 2;  // operands

  std::size_t data_axis, result_axis;  // along which the channels lie
  std::int64_t first, second;          // extents of the weights' first two axes
  std::int64_t groups = 1;
  bool output_first;       // the weights' first axis counts output channels, else input channels
  bool takes_bias = true;  // MatMul has no place for one
  // Every result sums over all the weights of its channel; not so where some of them meet padding.
  bool complete = true;
  double product_factor = 1, bias_factor = 1;

  std::int64_t along_first() const { return first; }
  std::int64_t along_second() const { return second * groups; }
  std::int64_t input_channels() const { return output_first ? along_second() : along_first(); }
  std::int64_t output_channels() const { return output_first ? along_first() : along_second(); }
  // The channels that the weights at [a, b] join.
  std::int64_t input_channel(std::int64_t a, std::int64_t b) const {
    return output_first ? grouped(a, b) : a;
  }
  std::int64_t output_channel(std::int64_t a, std::int64_t b) const {
    return output_first ? a : grouped(a, b);
  }

 private:
  // The second axis counts within the group that the first one lies in.
  std::int64_t grouped(std::int64_t a, std::int64_t b) const {
    return a / (first / groups) * second + b;
  }
};

// Nothing for other operators, and for products of anything but data by one matrix of weights.
// `inputs` are types that infer accepts.
std::optional<WeightedSum> weighted_sum_of(const OpDef& op,
                                           std::span<const TensorType* const> inputs,
                                           const Attributes& attributes);
// The attributes with a bias_factor of 1.
Attributes with_plain_bias(const OpDef& op, Attributes attributes);

}  // namespace loopglass::ops
