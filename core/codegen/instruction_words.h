// What an x86 instruction does, in a sentence, by its mnemonic: the families that kernels are made
// of, with conditions, element types and scalar or vector forms derived from the mnemonic's parts.
#pragma once

#include <string>
#include <string_view>

namespace loopglass::codegen {

// "Multiplies and adds with a single rounding, first = second * third + first: float32 numbers in
// every lane."; empty for a mnemonic that is not known.
std::string instruction_sentence(std::string_view mnemonic);

// "Vector register 3, 256 bits: 8 numbers of float32"; empty for what is no register of x86-64.
std::string register_sentence(std::string_view name);

}  // namespace loopglass::codegen
