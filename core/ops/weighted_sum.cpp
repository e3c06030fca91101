#include "core/ops/weighted_sum.h"

#include "core/ops/transposed_convolution.h"

#include <algorithm>

namespace loopglass::ops {

namespace {

std::optional<WeightedSum> convolution_sum(const TensorType& x, const TensorType& w,
                                           const Attributes& attributes) {
  const auto convolution = convolution_of(x, w, attributes);
  if (!convolution) return std::nullopt;
  return WeightedSum{
      .data_axis = 1,
      .result_axis = 1,
      .first = w.shape[0],
      .second = w.shape[1],
      .groups = convolution->groups,
      .output_first = true,
      .complete = std::ranges::none_of(convolution->window, &WindowAxis::needs_padding)};
}

std::optional<WeightedSum> transposed_sum(const TensorType& w, const Attributes& attributes) {
  // What each result sums depends on where it lies between the strides.
  return WeightedSum{.data_axis = 1,
                     .result_axis = 1,
                     .first = w.shape[0],
                     .second = w.shape[1],
                     .groups = attributes.integer("group"),
                     .output_first = false,
                     .complete = false};
}

std::optional<WeightedSum> matrix_sum(const TensorType& a, const TensorType& b) {
  if (b.shape.size() != 2) return std::nullopt;
  const std::size_t last = a.shape.size() - 1;
  return WeightedSum{.data_axis = last,
                     .result_axis = last,
                     .first = b.shape[0],
                     .second = b.shape[1],
                     .output_first = false,
                     .takes_bias = false};
}

std::optional<WeightedSum> general_sum(const TensorType& b, const Attributes& attributes) {
  return WeightedSum{.data_axis = attributes.integer("transA") != 0 ? 0u : 1u,
                     .result_axis = 1,
                     .first = b.shape[0],
                     .second = b.shape[1],
                     .output_first = attributes.integer("transB") != 0,
                     .product_factor = attributes.real("alpha"),
                     .bias_factor = attributes.real("beta")};
}

}  // namespace

std::optional<WeightedSum> weighted_sum_of(const OpDef& op,
                                           std::span<const TensorType* const> inputs,
                                           const Attributes& attributes) {
  if (op.name == "Conv") return convolution_sum(*inputs[0], *inputs[1], attributes);
  if (is_transposed_convolution(op)) return transposed_sum(*inputs[1], attributes);
  if (op.name == "MatMul") return matrix_sum(*inputs[0], *inputs[1]);
  if (op.name == "Gemm") return general_sum(*inputs[1], attributes);
  return std::nullopt;
}

Attributes with_plain_bias(const OpDef& op, Attributes attributes) {
  if (op.name == "Gemm") attributes.set("beta", 1.0);
  return attributes;
}

}  // namespace loopglass::ops
