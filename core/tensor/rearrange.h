// Copying the elements of tensors into another order, and tensors end to end.
#pragma once

#include "core/tensor/tensor.h"

#include <span>

namespace loopglass {

// Fills `to`, in row-major order, with elements of `from`: a step along a dimension of `to` goes on
// by so many elements in `from`.
void gather(const Tensor& from, std::span<const std::int64_t> strides, Tensor& to);
// The other way round: the elements of `from`, in row-major order, go where the strides say in
// `to`.
void scatter(const Tensor& from, std::span<const std::int64_t> strides, Tensor& to);

// End to end along an axis; the other extents are equal.
Tensor concatenated(std::span<const Tensor* const> parts, std::size_t axis);

}  // namespace loopglass
