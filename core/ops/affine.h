// Elementwise operators of two operands that scale or shift one of them by the other, as passes see
// them: Mul, Div, Add and Sub.
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

struct AffineStep {
  double factor = 1, offset = 0;
};
// What the operator makes of one operand where the other one is this number: factor * x + offset.
// Nothing for other operators, nor for a quotient's divisor.
std::optional<AffineStep> affine_in(const OpDef& op, std::size_t operand, double other);

}  // namespace loopglass::ops
