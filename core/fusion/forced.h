// Forced edges, as a person means them: one more edge in the plan that the strategy makes anyway.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::fusion {

using MakePlan = std::function<Result<Plan>(const graph::Graph&, const PlanOptions&)>;

// Plans as though nothing was forced, then joins the kernels that hold the ends of forced edges.
// Where these kernels cannot be one, the strategy plans anew around the forced edges: their
// operators begin in one kernel, whatever else they would have gone with.
MakePlan forcing_last(MakePlan plan);

}  // namespace loopglass::fusion
