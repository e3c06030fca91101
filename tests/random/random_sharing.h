// Seeded random graphs of what can be done without copies: tensors joined, cut and reshaped,
// several times over and with several users, between operators that compute; extents of 0 and 1
// among them, parts that begin where vectors may and parts that do not.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::test {

graph::Graph random_sharing(std::uint32_t seed, int operators);

}  // namespace loopglass::test
