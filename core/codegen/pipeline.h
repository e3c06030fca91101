// LLVM's optimisation pipeline and code generation, and what can be seen of them.
#pragma once

#include "core/codegen/kernel.h"

#include <memory>

namespace llvm {
class MemoryBuffer;
class Module;
class TargetMachine;
}  // namespace llvm

namespace loopglass::codegen {

// Runs the pass pipeline for the level. `steps`, if given, receives the module after every pass that
// changed its text.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level, std::vector<LlvmStep>* steps = nullptr);

// An ELF object; null when LLVM cannot.
std::unique_ptr<llvm::MemoryBuffer> generate_object(llvm::Module& module, llvm::TargetMachine& machine);
std::string generate_assembly(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace loopglass::codegen
