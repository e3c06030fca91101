// Seeded random networks of one operator, perhaps with an elementwise one before and after it, at
// extents that no vector and no tile divides: what single kernels are made of.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::test {

// `scale`: how many times as long one axis is, which the seed chooses. A compiler should not take
// longer for it: a longer loop is no larger program.
graph::Graph random_kernel(std::uint32_t seed, std::int64_t scale = 1);

}  // namespace loopglass::test
