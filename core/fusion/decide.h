// The verdict on every edge of a finished partition.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::fusion {

// Records a decision for every edge between nodes: fused where both ends share a group, else refused
// for the reason that `why_not` gives. AlreadyFused stands for "went elsewhere first".
void record_decisions(Plan& plan, const graph::Graph& graph, const PlanOptions& options,
                      const std::function<Refusal(const Edge&)>& why_not);

}  // namespace loopglass::fusion
