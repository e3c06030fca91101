// The loop nests of a kernel as its schedule makes them.
#pragma once

#include "core/fusion/edge_card.h"
#include "core/session.h"

namespace loopglass::debug {

// Schedules the kernel, but compiles nothing.
Result<fusion::KernelNests> kernel_nests(Session& session, fusion::GroupId group,
                                         const Cancellation& cancellation = {});

}  // namespace loopglass::debug
