#include "core/runtime/memory_budget.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

namespace loopglass::runtime {
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

// Where a control group (version 2, version 1) says what its processes may use and do use. Of what is
// used, cached files are given back when memory is wanted.
struct ControlGroup {
  const char *limit, *used, *details, *cached;
};
constexpr ControlGroup control_groups[] = {
    {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "/sys/fs/cgroup/memory.stat", "inactive_file"},
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
    const std::int64_t used = number_in(group.used).value_or(0) - entry_in(group.details, group.cached).value_or(0);
    memory.total = *limit;
    memory.available = std::min(memory.available, std::max<std::int64_t>(*limit - used, 0));
  }
  return memory;
}

Result<std::int64_t> bytes_of(const TensorType& type) {
  const auto count = checked_element_count(type.shape);
  const auto size = static_cast<std::int64_t>(byte_size(type.type));
  if (!count || *count > Tensor::maximum_bytes / size)
    return fail(Code::ModelTooLarge, fmt::format("a tensor of type {} is too large", to_string(type)), {},
                "the limit for one tensor is 64 GiB; give the inputs smaller shapes");
  return *count * size;
}

Result<std::int64_t> add_bytes(std::int64_t a, std::int64_t b) {
  if (a > maximum_total_bytes - b)
    return fail(Code::ModelTooLarge,
                fmt::format("the model's tensors take more than {} together", readable_bytes(maximum_total_bytes)), {},
                "give the inputs smaller shapes");
  return a + b;
}

Result<void> check_memory(const std::string& task, const std::vector<MemoryPart>& parts, const MachineMemory& machine) {
  std::int64_t total = 0;
  std::string list;
  for (const MemoryPart& part : parts) {
    total = TRY(add_bytes(total, part.bytes));
    if (part.bytes > 0) list += fmt::format("{}{} for {}", list.empty() ? "" : ", ", readable_bytes(part.bytes), part.what);
  }
  if (total <= machine.available) return {};
  return fail(Code::OutOfMemory,
              fmt::format("{} takes {} ({}); this machine has {}, of which {} are free", task, readable_bytes(total), list,
                          readable_bytes(machine.total), readable_bytes(machine.available)),
              {}, "give the inputs smaller shapes (--shape), or let intermediates be computed again (--memory-limit)");
}

std::string readable_bytes(std::int64_t bytes) {
  static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit) value /= 1024;
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace loopglass::runtime
