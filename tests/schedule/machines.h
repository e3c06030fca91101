// Machines whose schedules tests look at, whatever runs the tests.
#pragma once

#include "core/machine/machine.h"

namespace loopglass::schedule {

inline const Machine avx512 = reference_machine(),
                     avx2 = machine_with_vectors("x86-64, AVX2", 32, 16),
                     sse = machine_with_vectors("x86-64, SSE2", 16, 16);

}  // namespace loopglass::schedule
