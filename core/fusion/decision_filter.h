// Filters (core/support/filter.h) over the decisions of a fusion plan.
#pragma once

#include "core/fusion/plan.h"
#include "core/support/filter.h"

namespace loopglass::fusion {

// edge (the tensor or either operator, by name), verdict, reason, producer, consumer, op, dtype,
// bytes, kernel (at either end, by name or number). A verdict or a reason stands alone:
// `apart & conv1`, `SINK_KIND`.
const FilterSchema& decision_fields();
bool matches(const Filter& filter, const Decision& decision, const Plan& plan,
             const graph::Graph& graph);

}  // namespace loopglass::fusion
