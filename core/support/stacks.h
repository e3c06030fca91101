// Room on the stacks of threads. Kernels keep what one iteration of a parallel loop has for itself
// there, up to 1 MiB (passes/loop/place_workspace.h).
#pragma once

namespace loopglass {

// Sees to it that the main thread's stack may grow to the usual 8 MiB, as far as the system allows,
// and that threads begun from now on have as much, where a shell or a container has set less.
void prepare_stacks();

}  // namespace loopglass
