#include "core/support/machine_processors.h"

#include "core/support/control_groups.h"

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <sstream>

namespace loopglass {
namespace {

// Asked for with ever larger sets: the kernel refuses one that its processors do not fit into.
std::optional<int> affinity() {
  for (int most = 1024; most <= 1 << 20; most *= 2) {
    const std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set(CPU_ALLOC(most),
                                                               [](cpu_set_t* of) { CPU_FREE(of); });
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    if (set && sched_getaffinity(0, bytes, set.get()) == 0) return CPU_COUNT_S(bytes, set.get());
  }
  return std::nullopt;
}

// Microseconds of processor time in each period of so many; nothing where it is unlimited.
std::optional<double> quota_of(const ControlGroup& group) {
  const bool unified = group.version == 2;
  const auto text = unified ? group.read("cpu.max") : group.read("cpu.cfs_quota_us");
  const auto more = unified ? std::optional<std::string>("") : group.read("cpu.cfs_period_us");
  if (!text || !more) return std::nullopt;
  double time = 0, period = 0;
  std::istringstream numbers(*text + " " + *more);
  if (!(numbers >> time >> period) || time <= 0 || period <= 0) return std::nullopt;
  return time / period;
}

}  // namespace

int MachineProcessors::usable() const {
  int count = std::max(1, allowed);
  // Before the conversion, which no number of processors beyond an int survives.
  if (quota && *quota < count) count = std::max(1, static_cast<int>(std::ceil(*quota)));
  return count;
}

MachineProcessors machine_processors(const std::filesystem::path& root) {
  MachineProcessors processors;
  processors.online = std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
  processors.allowed = affinity().value_or(processors.online);
  for (const ControlGroup& group : control_groups("cpu", root))
    if (const auto quota = quota_of(group))
      processors.quota = std::min(*quota, processors.quota.value_or(*quota));
  return processors;
}

std::string to_string(const MachineProcessors& processors) {
  std::string why;
  if (processors.allowed < processors.online) why = fmt::format("affinity {}", processors.allowed);
  if (processors.quota && *processors.quota < processors.online)
    why += fmt::format("{}quota {:.3g}", why.empty() ? "" : ", ", *processors.quota);
  return fmt::format("{} of {} processor{} usable{}", processors.usable(), processors.online,
                     processors.online == 1 ? "" : "s", why.empty() ? "" : " (" + why + ")");
}

}  // namespace loopglass
