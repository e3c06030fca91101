// A kernel whose code is not the compiler's: a library's, say. It runs in the process that has it.
#pragma once

#include "core/support/result.h"

#include <span>

namespace loopglass::runtime {

class OutsideKernel {
 public:
  virtual ~OutsideKernel() = default;
  // Reads and writes at these addresses, in the order of the kernel's arguments; they may be others
  // in the next run. Not reentrant.
  virtual Result<void> run(std::span<void* const> arguments) = 0;
};

}  // namespace loopglass::runtime
