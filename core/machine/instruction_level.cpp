#include "core/machine/instruction_level.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

namespace loopglass {

namespace {

constexpr const char* variable = "LOOPGLASS_TARGET";

std::vector<InstructionLevel> levels_here() {
  std::vector<InstructionLevel> levels;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v2"))
    levels.push_back({"x86-64-v2", "x86-64, SSE4.2", 16, 16});
  if (__builtin_cpu_supports("x86-64-v3")) levels.push_back({"x86-64-v3", "x86-64, AVX2", 32, 16});
  if (__builtin_cpu_supports("x86-64-v4"))
    levels.push_back({"x86-64-v4", "x86-64, AVX-512", 64, 32});
#endif
  return levels;
}

const InstructionLevel* level_named(std::string_view name) {
  const auto levels = instruction_levels();
  const auto found = std::ranges::find(levels, name, &InstructionLevel::name);
  return found == levels.end() ? nullptr : &*found;
}

std::string_view wanted() {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

Result<void> check(std::string_view name, const char* where) {
  if (level_named(name) != nullptr) return {};
  std::string known;
  for (const InstructionLevel& level : instruction_levels())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", level.name);
  return fail(Code::UsageInvalid, fmt::format("'{}' is no level of this processor", name), where,
              known.empty() ? "it has none: leave it out" : "it has " + known);
}

}  // namespace

std::span<const InstructionLevel> instruction_levels() {
  static const std::vector<InstructionLevel> levels = levels_here();
  return levels;
}

Result<void> hold_to_level(const std::string& name) {
  TRY_VOID(check(name, "--target"));
  ::setenv(variable, name.c_str(), 1);
  return {};
}

Result<void> check_held_level() {
  if (wanted().empty()) return {};
  return check(wanted(), variable);
}

const InstructionLevel* held_level() { return level_named(wanted()); }

}  // namespace loopglass
