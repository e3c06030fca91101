// Removes operators that hand on their input unchanged: Identity, Dropout at inference, a Cast to the
// type at hand, a Reshape to the same shape. Not a list of names: read off the computation.
//
//   y = Identity(x); z = Relu(y)    =>    z = Relu(x)
//
// After constant folding, which turns computed attributes into ones that can be seen to change nothing.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> remove_identities(const graph::Graph& graph, pass::Report& report);

}  // namespace loopglass::passes
