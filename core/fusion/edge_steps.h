// Which steps of a strategy decided one edge.
#pragma once

#include "core/fusion/plan.h"

namespace loopglass::fusion {

struct EdgeSteps {
  std::vector<std::size_t> events;  // of the told plan, in their order
  std::string missing;              // why there are none; empty: there are
};

// The merge that brought both ends into one kernel with the check of the path before it, how the
// producer's post-dominator was found, and what refused to join the two. `post_dominator`: of the
// producer; invalid: none.
EdgeSteps steps_of(const Plan& told, const Decision& decision, graph::NodeId post_dominator);

}  // namespace loopglass::fusion
