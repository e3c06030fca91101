// What is known of an operator's results whatever its data.
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

// Whether no element of the first result, on data of this type, is below zero; NaN and negative
// zero may be there. False: unknown.
bool never_below_zero(const OpDef& op, DataType type);

}  // namespace loopglass::ops
