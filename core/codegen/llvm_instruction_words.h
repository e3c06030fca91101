// What LLVM's instructions do, in a sentence each: those that kernels are made of.
#pragma once

#include <string_view>

namespace loopglass::codegen {

// "Computes an address; loads nothing."; empty for any other word.
std::string_view llvm_instruction_sentence(std::string_view opcode);

}  // namespace loopglass::codegen
