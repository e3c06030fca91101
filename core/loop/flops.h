// Arithmetic operations a nest performs: what GFLOP/s are counted in.
#pragma once

#include "core/loop/func.h"

#include <map>

namespace loopglass::loop {

// Counted as te/flops.h counts them: what a store computes, index arithmetic left out; of a branch
// the costlier side, of a loop whose extent depends on those around it the mean extent.
std::int64_t flops(const Func& func, const std::map<std::string, std::int64_t>& symbols = {});

}  // namespace loopglass::loop
