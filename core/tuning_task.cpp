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

std::vector<tune::Task> tuning_tasks(Session& session,
                                     const std::vector<const fusion::Group*>& groups, int threads) {
  std::vector<tune::Task> tasks;
  std::map<std::string, std::size_t> places;
  for (const fusion::Group* group : groups) {
    const auto stages = session.kernel(group->id);
    if (!stages || (*stages)->is_view) continue;
    tune::Task task = tuning_task(**stages, group->name, session.toolchain().machine, threads);
    const auto [place, is_new] = places.emplace(tune::workload_of(task), tasks.size());
    if (is_new) tasks.push_back(std::move(task));
    else ++tasks[place->second].times;
  }
  return tasks;
}

}  // namespace loopglass
