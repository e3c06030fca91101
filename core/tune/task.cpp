#include "core/tune/task.h"

#include "core/kernel/schedules.h"
#include "core/loop/flops.h"

namespace loopglass::tune {

std::string workload_of(const Task& task) {
  return kernel::workload_of(loop::nameless_form(task.nest));
}

double flops_of(const Task& task) {
  return static_cast<double>(loop::flops(task.nest, task.symbols));
}

}  // namespace loopglass::tune
