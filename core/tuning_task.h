// A session's kernel as what is tuned.
#pragma once

#include "core/session.h"
#include "core/tune/task.h"

namespace loopglass {

// `name`: of the kernel in its plan. Symbols have the extents that it runs with.
tune::Task tuning_task(const loop::Func& initial, const fusion::KernelProgram& program,
                       std::string name, const Machine& machine, int threads);

// Of those of these kernels that are run; kernels that compute the same are one task, which is run
// so often. What cannot be lowered is left out.
std::vector<tune::Task> tuning_tasks(Session& session,
                                     const std::vector<const fusion::Group*>& groups, int threads);

}  // namespace loopglass
