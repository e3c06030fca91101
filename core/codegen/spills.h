// What machine code puts on the stack since there are no registers left for it.
#pragma once

#include "core/codegen/kernel_listings.h"

namespace loopglass::codegen {

// Instructions of the innermost loops (a loop that no other one is in: from a label to the jump
// back to it) that store a vector register to the stack, and that load it again or use it there; by
// what LLVM notes beside them.
struct Spills {
  int stores = 0, loads = 0;
  friend bool operator==(const Spills&, const Spills&) = default;
};
Spills vector_spills(const SourceLines& assembly);

}  // namespace loopglass::codegen
