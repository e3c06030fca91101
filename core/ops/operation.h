// Operators with their attributes, all of a node but its operands: those that passes put into
// graphs, by what they do.
#pragma once

#include "core/ops/op_def.h"
#include "core/tensor/layout.h"

namespace loopglass::ops {

struct Operation {
  const OpDef* op;
  Attributes attributes;
};

// By its name, for what is written in names: rules. CHECKs that there is such an operator.
Operation operation_named(std::string_view name, Attributes attributes);

// The sum of two operands, and the matrix product.
Operation addition();
Operation matrix_multiplication();
Operation conversion_to(DataType type);
// The same elements in row-major order under another shape.
Operation reshape_to(const Shape& shape);
// Dimension i of the result is dimension `permutation[i]` of the operand.
Operation transposition(std::vector<std::int64_t> permutation);
// A matrix turned.
Operation transposed_matrix();
// Operands one behind the other along an axis.
Operation concatenation(std::size_t axis);
// Elements [begin, end) along an axis.
Operation slice_of(std::size_t axis, std::int64_t begin, std::int64_t end);
// The same tensor with its dimensions in another order.
Operation layout_move(const Layout& from, const Layout& to);

}  // namespace loopglass::ops
