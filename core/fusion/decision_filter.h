// Filters (core/support/filter.h) over the decisions of a fusion plan.
#pragma once

#include "core/fusion/plan.h"
#include "core/support/filter.h"

namespace loopglass::fusion {

// edge (the tensor or either operator, by name), verdict, reason, producer, consumer, op, dtype,
// bytes.
const FilterSchema& decision_fields();
// parse_filter, but for a verdict or a reason all alone, which would be looked for among names.
Result<Filter> parse_decision_filter(std::string_view text);
bool matches(const Filter& filter, const Decision& decision, const graph::Graph& graph);

}  // namespace loopglass::fusion
