#include "core/support/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace loopglass {
namespace {

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

// The number a file of the system consists of; nothing when it says "max" or is not there.
std::optional<std::int64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  if (file >> value && value > 0) return value;
  return std::nullopt;
}

// The number after `key`, in a file of lines "key number".
std::optional<std::int64_t> entry_in(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  for (std::int64_t value = 0; file >> word >> value; file.ignore(unlimited, '\n'))
    if (word == key) return value;
  return std::nullopt;
}

// Where a control group (version 2, version 1) says what its processes may use and do use. Of what
// is used, cached files are given back when memory is wanted.
struct ControlGroup {
  const char *limit, *used, *details, *cached;
};
constexpr ControlGroup control_groups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat",
     "inactive_file"},
    {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes",
     "/sys/fs/cgroup/memory/memory.stat", "total_inactive_file"}};

}  // namespace

MachineMemory machine_memory() {
  MachineMemory memory;
  memory.total = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  const auto available = entry_in("/proc/meminfo", "MemAvailable:");  // in KiB
  memory.available = available ? *available << 10 : memory.total;
  for (const ControlGroup& group : control_groups) {
    const auto limit = number_in(group.limit);
    if (!limit || *limit >= memory.total) continue;
    const std::int64_t used =
        number_in(group.used).value_or(0) - entry_in(group.details, group.cached).value_or(0);
    memory.total = *limit;
    memory.available = std::min(memory.available, std::max<std::int64_t>(*limit - used, 0));
  }
  return memory;
}

}  // namespace loopglass
