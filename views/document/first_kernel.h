// The kernel shown before anyone chooses one of this plan.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::views {

// The first that multiplies matrices or convolves, since that is where the interesting loop nests
// are; invalid: there is none at all.
fusion::GroupId first_interesting_group(const fusion::Plan& plan, const graph::Graph& graph);
// The one that is named as the one before it in another plan; else the first interesting one.
fusion::GroupId first_group(const fusion::Plan& plan, const graph::Graph& graph,
                            const std::string& before);

}  // namespace loopglass::views
