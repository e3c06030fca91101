// How many of the processor's instructions are used: all that it has, or those of one of the levels
// of x86-64 (its psABI's "microarchitecture levels"), as if this were a processor that has no more:
// what code is made for it, and how fast that is here.
#pragma once

#include "core/support/result.h"

#include <span>
#include <string>
#include <string_view>

namespace loopglass {

struct InstructionLevel {
  std::string_view name;          // as LLVM calls it: "x86-64-v3"
  std::string_view instructions;  // "x86-64, AVX2"
  int vector_bytes, vector_registers;
};

// Those that this processor has, the lowest first; none where it is no x86-64.
std::span<const InstructionLevel> instruction_levels();

// For this process and those that it starts, as the environment variable LOOPGLASS_TARGET does;
// before anything asks for the machine. UsageInvalid where it is none of the levels.
Result<void> hold_to_level(const std::string& name);
// UsageInvalid where the environment variable has no level of this processor.
Result<void> check_held_level();
// Null: all that the processor has.
const InstructionLevel* held_level();

}  // namespace loopglass
