#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

// RoiAlign and MaxRoiPool; part of pooling().
std::vector<OpDef> region_pooling();

}  // namespace loopglass::ops
