// Telling whether a pass changed what a listing of machine instructions shows, without printing
// it, which takes longer than most passes.
#pragma once

#include <cstdint>

namespace llvm {
class MachineFunction;
}

namespace loopglass::codegen {

// Equal where the texts are, as list_function() has them, and nearly never where they differ.
// Values of the IR go by their addresses, so hashes are of use only while its module lives.
std::uint64_t text_hash(const llvm::MachineFunction& function);

}  // namespace loopglass::codegen
