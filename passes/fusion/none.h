// No fusion: every operator its own kernel. What other strategies are compared with.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::passes {

Result<fusion::Plan> fuse_nothing(const graph::Graph& graph, const fusion::PlanOptions& options);

}  // namespace loopglass::passes
