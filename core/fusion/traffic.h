// The bytes of intermediates that a kernel moves: between kernels, and among its own loop nests.
#pragma once

#include "core/fusion/block.h"

namespace loopglass::fusion {

struct Traffic {
  // Through the arena: written for other kernels, and read, once by each loop nest that needs it.
  // What a later nest of the kernel itself reads back is read as well. Results of the network have
  // to be written whatever is fused, and are not counted as written. Views (BlockRules::is_view)
  // move nothing: whoever reads one reads what it is a view of.
  std::int64_t written = 0, read = 0;
  // Through the kernel's workspace: written by one loop nest, and read back by others.
  std::int64_t kept = 0, read_back = 0;

  std::int64_t moved() const { return written + read + kept + read_back; }
  Traffic& operator+=(const Traffic& other);
};

// Of one kernel of these nodes (positions, ascending).
Traffic traffic(const BlockRules& rules, std::span<const std::size_t> nodes);

}  // namespace loopglass::fusion
