// From a partition of nodes to a Plan: groups named, ordered so that they can run, anchored.
#pragma once

#include "core/fusion/pattern_kind.h"
#include "core/fusion/plan.h"

namespace loopglass::fusion {

// `part` gives every node, by position in graph.nodes(), the number of its part; `kinds` likewise.
// Fails with PlanInvalid when the parts depend on one another in a cycle. Decisions are left empty.
Result<Plan> plan_of_partition(const graph::Graph& graph, std::string strategy,
                               const std::vector<std::size_t>& part,
                               const std::vector<PatternKind>& kinds);

std::vector<PatternKind> pattern_kinds(const graph::Graph& graph);

}  // namespace loopglass::fusion
