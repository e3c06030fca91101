// Random tensor-expression programs: chains and diamonds of elementwise, moving and reducing stages
// over odd little shapes, a few of them empty. Values stay small whole numbers, so that results are
// exact in any order of summation.
#pragma once

#include "core/loop/func.h"

#include <cstdint>

namespace loopglass::schedule {

loop::Func random_nest(std::uint64_t seed);

}  // namespace loopglass::schedule
