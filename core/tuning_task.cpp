#include "core/tuning_task.h"

#include <algorithm>

namespace loopglass {

tune::Task tuning_task(const KernelStages& kernel, std::string name, const Machine& machine,
                       int threads) {
  tune::Task task{std::move(name), kernel.initial, {}, machine, threads};
  const std::vector<std::int64_t>& extents = kernel.program.extents;
  for (std::size_t i = 0; i < std::min(task.nest.symbols.size(), extents.size()); ++i)
    task.symbols[task.nest.symbols[i]] = extents[i];
  return task;
}

}  // namespace loopglass
