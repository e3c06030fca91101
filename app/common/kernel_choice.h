// Which kernels of a session's plan a person means.
#pragma once

#include "core/session.h"

#include <string>
#include <vector>

namespace loopglass::app {

// By name, by number in the order of the plan, or by an operator that the kernel computes, which
// may be one that passes have replaced; all where nothing is said. GraphEntityUnknown also where
// the plan has no kernels. `option`: that names it. Valid as long as the session's plan.
Result<std::vector<const fusion::Group*>> choose_kernels(Session& session,
                                                         const std::string& wanted,
                                                         const std::string& option = "--kernel");
// The one kernel; of several, one must be named.
Result<const fusion::Group*> choose_kernel(Session& session, const std::string& wanted,
                                           const std::string& option);

}  // namespace loopglass::app
