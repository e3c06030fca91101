// A session's kernel as what is tuned.
#pragma once

#include "core/session.h"
#include "core/tune/task.h"

namespace loopglass {

// `name`: of the kernel in its plan. Symbols have the extents that it runs with.
tune::Task tuning_task(const KernelStages& kernel, std::string name, const Machine& machine,
                       int threads);

}  // namespace loopglass
