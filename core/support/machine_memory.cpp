#include "core/support/machine_memory.h"

#include "core/support/control_groups.h"
#include "core/support/readable_bytes.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

namespace loopglass {
namespace {

using Bound = MachineMemory::Bound;

constexpr std::int64_t unlimited = std::numeric_limits<std::int64_t>::max();

// The number after `key`, in lines "key number".
std::optional<std::int64_t> entry_in(std::istream& lines, const std::string& key) {
  std::string word;
  for (std::int64_t value = 0; lines >> word >> value; lines.ignore(unlimited, '\n'))
    if (word == key) return value;
  return std::nullopt;
}

// The tighter of two, by what is left.
void bound_by(MachineMemory& memory, Bound bound, std::int64_t limit, std::int64_t used) {
  const std::int64_t left = std::max<std::int64_t>(limit - used, 0);
  if (left < memory.available) memory = {limit, left, bound};
}

// Nothing where there is no such file, or where it says "max".
std::optional<std::int64_t> number_in(const ControlGroup& group, std::string_view file) {
  std::int64_t value = 0;
  std::istringstream text(group.read(file).value_or(""));
  if (text >> value && value > 0) return value;
  return std::nullopt;
}

// Of what is used, cached files are given back when memory is wanted.
void bound_by_group(MachineMemory& memory, const ControlGroup& group) {
  const bool unified = group.version == 2;
  const auto limit = number_in(group, unified ? "memory.max" : "memory.limit_in_bytes");
  if (!limit) return;
  const auto used = number_in(group, unified ? "memory.current" : "memory.usage_in_bytes");
  std::istringstream details(group.read("memory.stat").value_or(""));
  const auto cached = entry_in(details, unified ? "inactive_file" : "total_inactive_file");
  bound_by(memory, Bound::ControlGroup, *limit, used.value_or(0) - cached.value_or(0));
}

// What the shell's ulimit sets. Of /proc/self/statm: the first number is all that is mapped, the
// sixth data and stack, in pages.
void bound_by_process(MachineMemory& memory) {
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  std::int64_t sizes[6] = {};
  std::ifstream file("/proc/self/statm");
  for (std::int64_t& size : sizes) file >> size;
  const auto bound = [&](Bound what, int resource, std::int64_t used) {
    rlimit limit{};
    if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 ||
        limit.rlim_cur == RLIM_INFINITY)
      return;
    const auto most = static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, unlimited));
    bound_by(memory, what, most, used);
  };
  bound(Bound::AddressSpace, RLIMIT_AS, sizes[0] * page);
  bound(Bound::Data, RLIMIT_DATA, sizes[5] * page);
}

}  // namespace

MachineMemory machine_memory() {
  MachineMemory memory;
  memory.total = static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  std::ifstream details("/proc/meminfo");
  const auto available = entry_in(details, "MemAvailable:");  // in KiB
  memory.available = available ? std::min(*available << 10, memory.total) : memory.total;
  for (const ControlGroup& group : control_groups("memory")) bound_by_group(memory, group);
  bound_by_process(memory);
  return memory;
}

std::string to_string(const MachineMemory& memory) {
  const auto sentence = [&](std::string_view who, std::string_view of_what) {
    return fmt::format("{} {}{}, of which {} are free", who, readable_bytes(memory.total), of_what,
                       readable_bytes(memory.available));
  };
  switch (memory.bound) {
    case Bound::Machine: return sentence("this machine has", "");
    case Bound::ControlGroup:
      return sentence("this container or service may have", " (its control group's limit)");
    case Bound::AddressSpace:
      return sentence("this process may have", " of address space (ulimit -v)");
    case Bound::Data: return sentence("this process may have", " of data (ulimit -d)");
  }
  __builtin_unreachable();
}

}  // namespace loopglass
