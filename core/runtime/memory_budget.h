// One budget of memory for everything a run allocates, checked before anything is: what a person
// asked for that cannot be had ends in a sentence, not in the kernel's out-of-memory killer.
#pragma once

#include "core/support/machine_memory.h"
#include "core/support/readable_bytes.h"
#include "core/support/result.h"
#include "core/tensor/tensor.h"

#include <string>
#include <vector>

namespace loopglass::runtime {

// More than this in all is refused as absurd, whatever the machine has (16 TiB).
inline constexpr std::int64_t maximum_total_bytes = std::int64_t{1} << 44;

// Sizes whose sums and products are checked: ModelTooLarge beyond what can be addressed.
Result<std::int64_t> bytes_of(const TensorType& type);
Result<std::int64_t> add_bytes(std::int64_t a, std::int64_t b);

struct MemoryPart {
  std::string what;  // "intermediates"
  std::int64_t bytes = 0;
};
// OutOfMemory unless the parts fit together into what is available; `task`: "running the network".
Result<void> check_memory(const std::string& task, const std::vector<MemoryPart>& parts,
                          const MachineMemory& machine = machine_memory());

using loopglass::readable_bytes;

}  // namespace loopglass::runtime
