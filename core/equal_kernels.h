// Which kernels of a network compute the same, under whatever names: what schedules one of them
// schedules all.
#pragma once

#include "core/session.h"

namespace loopglass {

// The other groups whose kernels compute what this one's does, in the plan's order. Derives the
// initial kernels of all. What Session::plan and, of this group, Session::initial_kernel say.
Result<std::vector<fusion::GroupId>> equal_kernels(Session& session, fusion::GroupId group);

}  // namespace loopglass
