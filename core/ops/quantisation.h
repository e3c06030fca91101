// QuantizeLinear, DequantizeLinear and the products of bytes, as passes see them.
#pragma once

#include "core/ops/operation.h"

#include <optional>

namespace loopglass::ops {

// Which elements share a scale and a zero point: all; those of an index of the axis; or, of blocks,
// so many along the axis, and no two elsewhere.
struct ScaleSharing {
  static constexpr std::size_t data = 0, scale = 1, zero_point = 2;  // operands
  std::optional<std::size_t> axis;  // none: it does not exist, and all share one
  std::int64_t block = 0;           // 0: no blocks
};

bool is_quantisation(const OpDef& op);
bool is_dequantisation(const OpDef& op);
// Of data of that rank; nothing for other operators.
std::optional<ScaleSharing> dequantisation_of(const OpDef& op, const Attributes& attributes,
                                              std::size_t rank);

// The operator that sums, in int32, the products of bytes that one of floats sums of what these
// stand for, operands transposed first where that one does it; nothing for other operators.
std::optional<Operation> integer_form_of(const OpDef& op, const Attributes& attributes);

}  // namespace loopglass::ops
