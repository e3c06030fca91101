// What the attributes of operators that move and reduce elements come to on a tensor of a given
// shape: for the operators themselves, and for passes that compose and exchange them.
#pragma once

#include "core/ops/support.h"

namespace loopglass::ops {

bool is_transpose(const OpDef& op);
// Transpose: the source dimension of each dimension of the result.
Integers permutation(const Attributes& attributes, std::size_t rank);

// Slice: along a dimension, elements start, start + step, ...; `count` of them.
struct Stride {
  std::int64_t start = 0, step = 1, count = 0;
  friend bool operator==(const Stride&, const Stride&) = default;
};
Result<std::vector<Stride>> strides_of(const Attributes& attributes, const Shape& shape);

// Compress: the positions along the axis where the condition holds.
Integers kept_positions(const Attributes& attributes);

// Pad: how many elements lie before and after each dimension; negative: taken away.
struct Margin {
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const Margin&, const Margin&) = default;
};
Result<std::vector<Margin>> margins_of(const Attributes& attributes, std::size_t rank);

// Reductions: the dimensions reduced, in ascending order; none where the operator does nothing.
Result<Integers> reduced_axes(const Attributes& attributes, std::size_t rank);
// Whether without axes the input itself is the result.
bool reduces_nothing(const Attributes& attributes);

}  // namespace loopglass::ops
