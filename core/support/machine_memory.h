// How much memory there is, so that asking for more can be refused before the system kills the process.
#pragma once

#include <cstdint>

namespace loopglass {

// In bytes: what this process may have in all and at the moment, the limits of containers included.
struct MachineMemory {
  std::int64_t total = 0, available = 0;
};
MachineMemory machine_memory();

}  // namespace loopglass
