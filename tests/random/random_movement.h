// Seeded random graphs of operators that move, cut and join elements, with pointwise operators and
// reductions between them: small, of all ranks up to four, some with extents of 0 and 1.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::test {

// `type`: of the inputs. `jumps`: whether there are comparisons, whose results jump where an
// operand changes by a rounding error.
graph::Graph random_movement(std::uint32_t seed, int operators, DataType type = DataType::Float32,
                             bool jumps = true);

}  // namespace loopglass::test
