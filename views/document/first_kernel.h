// The kernel shown before anyone chooses.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::views {

// The first that multiplies matrices or convolves, since that is where the interesting loop nests
// are; invalid: there is none at all.
fusion::GroupId first_interesting_group(const fusion::Plan& plan, const graph::Graph& graph);

}  // namespace loopglass::views
