// The product with a matrix of weights of few bits, which share a scale by blocks: ONNX Runtime's
// MatMulNBits (its docs/ContribOperators.md). The weights are widened where they are multiplied. A
// product of few rows takes each of them once or little more and waits for memory; so it has a
// quarter or an eighth as much to wait for.
//
//   Y[..., n] = sum over k of A[..., k] * (q[n, k] - zero point[n, k / block]) * scale[n, k /
//   block]
//
// q lies in bytes, 8 / bits of them in one, from the lowest bits on.
#pragma once

#include "core/ops/operation.h"
#include "core/ops/quantisation.h"

#include <optional>

namespace loopglass::ops {

struct FewBitProduct {
  static constexpr std::size_t data = 0, weights = 1, scales = 2, zero_points = 3, group_index = 4,
                               bias = 5;  // operands
  std::int64_t rows, columns;             // of the weights, as they are multiplied
  std::int64_t bits = 8, block = 0;       // rows that share a scale

  std::int64_t blocks() const;   // of a column
  std::int64_t of_byte() const;  // weights
};

// Nothing for other operators.
std::optional<FewBitProduct> few_bit_product_of(const OpDef& op, const Attributes& attributes);
Operation operation_of(const FewBitProduct& product);
// Whether who computes the operator may round A to bytes (accuracy_level): it is a pass that does
// (passes/graph/round_operands.h).
bool may_round_data(const OpDef& op, const Attributes& attributes);

// What a product takes for weights. `zero_points` may be undefined: the middle of the range.
struct FewBitWeights {
  Tensor weights, scales, zero_points;
};
// Of a block of a column, as a number of that many bits or as the float that it is.
float zero_point_of(const FewBitProduct& product, const FewBitWeights& weights, std::int64_t column,
                    std::int64_t block);
// float32, rows x columns, of weights that `product` accepts.
Tensor widened_weights(const FewBitProduct& product, const FewBitWeights& weights);

// The other way: int8 or uint8 of two dimensions that a scale and a zero point (it may be null: 0)
// dequantise to float32, as DequantizeLinear takes them; `is_turned`: columns x rows. Of four bits
// where all fit, in pairs. Nothing where the parts that share a scale are no blocks of a column.
struct FewBits {
  FewBitProduct product;
  FewBitWeights weights;
};
std::optional<FewBits> in_few_bits(const Tensor& quantised, const Tensor& scale,
                                   const Tensor* zero_point, const ScaleSharing& sharing,
                                   bool is_turned);

}  // namespace loopglass::ops
