// Products by weights of few bits whose other operand is rounded to bytes: two operators, which a
// pass puts in the place of one (passes/graph/round_operands.h).
//
// PackedRounding rounds each block of a row to int8 by the block's own greatest magnitude, as ONNX
// Runtime does where accuracy_level = 4 lets it:
//
//   scale[b] = max over k of |x[b, k]| / 127,    q[b, k] = round(x[b, k] / scale[b]), and 0 where
//   all is nearly nothing
//
// PackedFewBitProduct sums products of whole numbers, and scales the sum of a few words at a time:
//
//   Y[n] = sum over b, g of (sum over k of group g of q[b, k] * (w[b, k, n] - zero point[b, n]))
//          * scale[b] * scales[b, n]
//
// A word is an int32 that holds 32 / bits weights of one column, from the lowest bits on. Moved by
// j weights and masked, it is a pair of int16, the weights j and j + half of it, or four bytes, j
// and what lies by quarters behind it, for dot_pairs or dot_quads (core/expr). The rows are packed
// alike. What a zero point takes away is it times the sum of q.
#pragma once

#include "core/ops/few_bit_products.h"
#include "core/ops/packed_products.h"

namespace loopglass::ops {

// Whether blocks are whole words.
bool has_words(const FewBitProduct& product);

// `rounding` has the outputs: q in words, scales, and sums of q, which `product` takes in that
// order before the weights.
struct PackedFewBits {
  Operation rounding, product;
};
PackedFewBits packed_form_of(const FewBitProduct& product, Packing packing);
bool multiplies_rounded_rows(const OpDef& op);

// What the product takes for weights: words x columns of each block, and one number a block and
// column. `zero_points`, in units of Y, is undefined where all are the middle of the range.
struct FewBitWords {
  Tensor words, scales, zero_points;
};
FewBitWords in_words(const FewBitProduct& product, const FewBitWeights& weights);

}  // namespace loopglass::ops
