// The verdict on every edge of a finished partition.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::fusion {

using Why = std::function<Refusal(const Edge&)>;

// Records a decision for every edge between nodes: fused where both ends share a group, for the
// reason that `why` gives (Reason::Fused), else refused for the reason that `why_not` gives. What
// was asked for by hand is said here.
void record_decisions(Plan& plan, const graph::Graph& graph, const PlanOptions& options,
                      const Why& why_not, const Why& why = {});

// Why nothing shares a kernel with an opaque operator, whatever the strategy.
Refusal refuse_opaque(const graph::Node& opaque);

// The first steps of a strategy that begins with what was asked for by hand.
std::vector<PlanEvent> tell_forced(const graph::Graph& graph, const std::set<Edge>& forced);

}  // namespace loopglass::fusion
