// How much memory there is, so that asking for more can be refused before the system kills the
// process or refuses it where nobody can tell why.
#pragma once

#include <cstdint>
#include <string>

namespace loopglass {

// In bytes: what this process may have in all and at the moment, by the tightest of what bounds it.
struct MachineMemory {
  enum class Bound : std::uint8_t {
    Machine,
    ControlGroup,  // of a container or a service
    AddressSpace,  // ulimit -v
    Data           // ulimit -d
  };
  std::int64_t total = 0, available = 0;
  Bound bound = Bound::Machine;
};
MachineMemory machine_memory();

// "this machine has 8 GiB, of which 3 GiB are free"; "this process may have 2 GiB of address space
// (ulimit -v), of which 1.5 GiB are free"
std::string to_string(const MachineMemory& memory);

}  // namespace loopglass
