// The kernel of an operator that a person wrote: what the text says, as it stands.
#pragma once

#include "core/fusion/kernel.h"

namespace loopglass::fusion {

// Its symbols stay open, so that one machine code serves all extents, where memory of its own does
// not hang on them; else they are replaced by their extents.
Result<KernelProgram> written_kernel(const graph::Graph& graph, const graph::Node& node);

}  // namespace loopglass::fusion
