// A kernel of a network that a library computes in the place of generated code.
#pragma once

#include "core/library/comparison.h"

namespace loopglass::library {

// LibraryRefused where the library does not compute all of the kernel.
Result<void> check_whole(const Subject& subject, const KernelPart& part, const Library& library);

// The same kernel with the library's code: what the generated code keeps for itself (packed
// constants, scratch memory) goes. LibraryRefused where the library does not compute all of it, or
// where its tensors do not lie by themselves; OutOfMemory, then and where it runs. Constants of the
// graph are read as long as it lives.
Result<runtime::KernelInstance> by_library(const Subject& subject, const KernelPart& part,
                                           Library& library, Layouts layouts);

}  // namespace loopglass::library
