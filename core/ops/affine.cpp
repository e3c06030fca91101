#include "core/ops/affine.h"

namespace loopglass::ops {

std::optional<AffineStep> affine_in(const OpDef& op, std::size_t operand, double other) {
  const bool first = operand == 0;
  if (op.name == "Mul") return AffineStep{.factor = other};
  if (op.name == "Add") return AffineStep{.offset = other};
  if (op.name == "Sub")
    return first ? AffineStep{.offset = -other} : AffineStep{.factor = -1, .offset = other};
  if (op.name == "Div" && first) return AffineStep{.factor = 1 / other};
  return std::nullopt;
}

}  // namespace loopglass::ops
