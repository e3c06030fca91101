#include "core/machine/host.h"

#include "core/machine/instruction_level.h"
#include "core/support/machine_processors.h"

#include <fmt/format.h>
#include <unistd.h>
#include <charconv>
#include <fstream>

namespace loopglass {

namespace {

Machine machine_of_instructions() {
  if (const InstructionLevel* held = held_level())
    return machine_with_vectors(std::string(held->instructions), held->vector_bytes,
                                held->vector_registers);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    return machine_with_vectors("x86-64, AVX-512", 64, 32);
  if (__builtin_cpu_supports("avx2")) return machine_with_vectors("x86-64, AVX2", 32, 16);
  return machine_with_vectors("x86-64, SSE2", 16, 16);
#elif defined(__aarch64__)
  return machine_with_vectors("AArch64, Neon", 16, 32);
#else
  return machine_with_vectors("generic", 16, 16);
#endif
}

void set_if_known(Figure<std::int64_t>& bytes, int level, int query) {
  if (const auto shared = cache_bytes("/sys/devices/system/cpu/cpu0/cache", level))
    bytes = {*shared, Provenance::Detected};
  else if (const long value = sysconf(query); value > 0) bytes = {value, Provenance::Detected};
}

// As the operating system has it.
std::string processor_name() {
  std::ifstream table("/proc/cpuinfo");
  for (std::string line; std::getline(table, line);)
    if (line.starts_with("model name"))
      if (const auto colon = line.find(": "); colon != std::string::npos)
        return line.substr(colon + 2);
  return {};
}

}  // namespace

std::optional<std::int64_t> cache_bytes(const std::filesystem::path& folder, int level) {
  const auto word_of = [](const std::filesystem::path& file) {
    std::string word;
    std::ifstream(file) >> word;
    return word;
  };
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (word_of(entry.path() / "level") != std::to_string(level) ||
        word_of(entry.path() / "type") == "Instruction")
      continue;
    const std::string size = word_of(entry.path() / "size");
    std::int64_t bytes = 0;
    const auto [end, problem] = std::from_chars(size.data(), size.data() + size.size(), bytes);
    const std::string_view unit(end, size.data() + size.size());
    const int shift = unit.empty()  ? 0
                      : unit == "K" ? 10
                      : unit == "M" ? 20
                      : unit == "G" ? 30
                                    : -1;
    if (problem == std::errc() && bytes > 0 && shift >= 0) return bytes << shift;
  }
  return std::nullopt;
}

bool processor_multiplies_bytes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") || __builtin_cpu_supports("avxvnni");
#else
  return false;
#endif
}

Machine host_machine() {
  Machine machine = machine_of_instructions();
  machine.processor = processor_name();
  if (machine.processor.empty()) machine.processor = machine.name;
  // Rates and times that are kept by the processor are of these instructions alone.
  if (const InstructionLevel* held = held_level())
    machine.processor += fmt::format(", held to {}", held->name);
  // The levels of x86-64 have no VNNI.
  const bool in_fours = !held_level() && processor_multiplies_bytes();
  machine.dot_terms = {in_fours ? 4 : 2, Provenance::Detected};
  machine.vector_bytes.from = machine.vector_registers.from = Provenance::Detected;
  machine.cores = {machine_processors().usable(), Provenance::Detected};
  set_if_known(machine.l1.bytes, 1, _SC_LEVEL1_DCACHE_SIZE);
  set_if_known(machine.l2.bytes, 2, _SC_LEVEL2_CACHE_SIZE);
  set_if_known(machine.l3.bytes, 3, _SC_LEVEL3_CACHE_SIZE);
  return machine;
}

}  // namespace loopglass
