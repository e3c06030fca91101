// Puts operators into the layouts they were given.
//
// Operator by operator, producers first: its images are brought into its layout, and its result
// back into NCHW for whoever wants it so. Where an image has just been brought back from the very
// layout that is wanted, the pair cancels: the operator reads what was there before. So every state
// between two rewrites is a network that means the same, and in the end no transform undoes
// another.
#pragma once

#include "core/pass/pass.h"
#include "passes/graph/layout/assignment.h"

namespace loopglass::passes::layout {

Result<graph::Graph> apply(const graph::Graph& graph, const std::vector<Decision>& decisions,
                           pass::Report& report);

}  // namespace loopglass::passes::layout
