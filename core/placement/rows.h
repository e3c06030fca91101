// A tensor that lies in another's memory: where each of its elements is, as a first element and a
// stride per dimension. Dense ones are a run of elements; others are rows of one pitch, as channels
// of a larger NHWC tensor are.
#pragma once

#include "core/tensor/tensor.h"

#include <optional>
#include <vector>

namespace loopglass::placement {

// In elements, in a buffer that is named elsewhere.
struct Rows {
  std::int64_t offset = 0;
  std::vector<std::int64_t> strides;  // of dimensions of one element: any

  friend bool operator==(const Rows&, const Rows&) = default;
};

Rows dense_rows(const Shape& shape);
bool is_dense(const Rows& rows, const Shape& shape);

// Where a tensor of shape `inner_shape`, at `inner` in a dense tensor of shape `shape`, comes to
// lie when that tensor lies at `outer`. nullopt: a row of it would be broken up.
std::optional<Rows> compose(const Rows& inner, const Shape& inner_shape, const Shape& shape,
                            const Rows& outer);

// The shape, at least as large along every dimension, whose row-major strides these are; nullopt
// when no shape has them (a transposition, or a step from element to element).
std::optional<Shape> pitched_shape(const Rows& rows, const Shape& shape);

// How many elements follow one another before the first gap.
std::int64_t run_length(const Rows& rows, const Shape& shape);

}  // namespace loopglass::placement
