// A kernel of a network that a library computes in the place of generated code.
#pragma once

#include "core/library/comparison.h"

namespace loopglass::library {

// The same kernel with the library's code: what the generated code keeps for itself (packed
// constants, scratch memory) goes. LibraryRefused where the library does not compute all of it, or
// where its tensors do not lie by themselves. Constants of the graph are read as long as it lives.
Result<runtime::KernelInstance> by_library(const Subject& subject, const KernelPart& part,
                                           Library& library, Layouts layouts);

}  // namespace loopglass::library
