// Concat, as passes see it.
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

// The axis along which the operator lays its operands end to end; nothing for other operators.
// `rank` is theirs; the attributes are such that infer accepts them.
std::optional<std::size_t> concatenation_axis(const OpDef& op, const Attributes& attributes,
                                              std::size_t rank);
Attributes along_axis(std::size_t axis);

}  // namespace loopglass::ops
