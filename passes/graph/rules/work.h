// How much work operators on elements are, for rules to tell whether they help.
#pragma once

#include "core/graph/graph.h"

namespace loopglass::passes::rules {

// Of one operator on such operands (a null pointer: left out), in additions. An estimate: a rule
// only needs to know which is more.
double work_of(const ops::OpDef& op, std::span<const TensorType* const> operands,
               const TensorType& result);

}  // namespace loopglass::passes::rules
