// Fusion by dynamic programming over sets of executed operators, under a cost model (Gao et al.,
// Computer Science 52(5), 2025; the search is in ideal_search.h). Says of its plan whether it is
// proved optimal under the model, or the best in a beam.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::passes {

Result<fusion::Plan> fuse_by_dynamic_programming(const graph::Graph& graph,
                                                 const fusion::PlanOptions& options);

}  // namespace loopglass::passes
