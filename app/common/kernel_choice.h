// Which kernels of a plan a person means.
#pragma once

#include "core/fusion/plan.h"
#include "core/support/result.h"

namespace loopglass::app {

// By name, or by number in the order of the plan; all where nothing is said. GraphEntityUnknown
// also where the plan has no kernels.
Result<std::vector<const fusion::Group*>> choose_kernels(const fusion::Plan& plan,
                                                         const std::string& wanted);
// The one kernel; of several, one must be named. `option`: that names it.
Result<const fusion::Group*> choose_kernel(const fusion::Plan& plan, const std::string& wanted,
                                           const std::string& option);

}  // namespace loopglass::app
