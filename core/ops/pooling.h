// The parts of pooling() that have files of their own.
#pragma once

#include "core/ops/op_def.h"

namespace loopglass::ops {

OpDef max_unpool();
// RoiAlign and MaxRoiPool.
std::vector<OpDef> region_pooling();

}  // namespace loopglass::ops
