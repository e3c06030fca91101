// Nests to schedule, and the proof that a schedule kept their meaning: both are interpreted.
#pragma once

#include "core/loop/func.h"
#include "core/te/te.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>

namespace loopglass::schedule {

// Small whole numbers, so that sums are exact in any order; the same for the same seed.
Tensor small_numbers(const TensorType& type, std::uint64_t seed);

// Runs both on the same random inputs and compares all outputs: exactly, or within `tolerance` of
// relative error. Constants are packed and tensors reshaped as the parameters of `after` ask.
::testing::AssertionResult same_results(const loop::Func& before, const loop::Func& after,
                                        std::uint64_t seed = 1, double tolerance = 0);

// Y[i] = X[i] + 1 and Z = Y * 2, of any shape.
loop::Func two_elementwise(const Shape& shape);
// Y[i] = X[i] + 1, and rows of it summed: S[i] = sum over r of Y[i, r].
loop::Func rows_summed(std::int64_t rows, std::int64_t columns);
// C[m, n] = sum over k of A[m, k] * B[k, n]; B is a constant.
loop::Func matrix_product(std::int64_t m, std::int64_t n, std::int64_t k,
                          DataType type = DataType::Float32);

struct ConvolutionShape {
  std::int64_t batch, channels, height, width, filters, kernel, stride, pad;
};
// pad (a stage of its own if any), convolution with constant weights, bias, relu.
loop::Func convolution(const ConvolutionShape& shape);
// The same with one filter a channel (`filters` is not looked at) and channels innermost.
loop::Func depthwise_convolution(const ConvolutionShape& shape);
// The same, channel by channel.
loop::Func depthwise_convolution_of_planes(const ConvolutionShape& shape);
// Steps of a recurrent network: each multiplies the state by the same constant weights, twice as
// many as the state has elements, and adds both halves of the result to it.
loop::Func recurrent_steps(std::int64_t batch, std::int64_t state, int steps);
// What a softmax does row by row, in arithmetic that is exact: the largest element, the halved
// distances from it, their sum, and the distances times the sum.
loop::Func row_by_row(const Shape& shape);
// Scores of rows and columns, each a sum over `width` terms, the same of their rows, and weighed by
// it as many columns of values.
struct AttentionShape {
  Shape images;
  std::int64_t rows, columns, width;
};
enum class Reads { ScoresOnce, ScoresAgain };  // a result of its own
loop::Func attention(const AttentionShape& shape, Reads reads = Reads::ScoresOnce);

// Y[a, b, c] = X at these indices, of tensors of these shapes: copied("4, 8", "2, 8, 2", "a * 2 +
// c, b").
loop::Func copied(const std::string& x, const std::string& y, const std::string& indices);

// Y = twice the reducer over the axis of X; over everything if the axis is -1.
loop::Func reduction(const Shape& shape, int axis, te::Reducer reducer = te::Reducer::Sum,
                     DataType type = DataType::Float32);

}  // namespace loopglass::schedule
