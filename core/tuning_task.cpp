#include "core/tuning_task.h"

#include "core/loop/symbols.h"

namespace loopglass {

tune::Task tuning_task(const loop::Func& initial, const fusion::KernelProgram& program,
                       std::string name, const Machine& machine, int threads) {
  return {std::move(name), initial, loop::symbol_values(initial, program.extents), machine,
          threads};
}

std::vector<tune::Task> tuning_tasks(Session& session,
                                     const std::vector<const fusion::Group*>& groups, int threads) {
  std::vector<tune::Task> tasks;
  std::map<std::string, std::size_t> places;
  for (const fusion::Group* group : groups) {
    const auto kernel = session.initial_kernel(group->id);
    if (!kernel || (*kernel)->is_view) continue;
    tune::Task task = tuning_task((*kernel)->nest, (*kernel)->program, group->name,
                                  session.toolchain().machine, threads);
    const auto [place, is_new] = places.emplace(tune::workload_of(task), tasks.size());
    if (is_new) tasks.push_back(std::move(task));
    else ++tasks[place->second].times;
  }
  return tasks;
}

}  // namespace loopglass
