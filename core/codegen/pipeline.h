// LLVM's optimisation pipeline and code generation, and what can be seen of them.
#pragma once

#include "core/support/cancellation.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class MemoryBuffer;
class Module;
class TargetMachine;
}  // namespace llvm

namespace loopglass::codegen {

std::size_t instruction_count(const llvm::Module& module);

// Runs the pass pipeline for the level.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, int level);

// A run of a pass that changed the module's text.
struct PassRun {
  std::string pass;
  std::size_t moment;  // how many passes had run by then, those included that changed nothing
};
struct Recording {
  std::vector<PassRun> runs;
  std::uint64_t blocks_hashed;  // the work that finding them took
};
// The same, telling what changed. Prints nothing, so it takes hardly longer. Where it is cancelled,
// no more passes run and the module is of no use.
Recording optimise_recorded(llvm::Module& module, llvm::TargetMachine& machine, int level,
                            const Cancellation& cancellation);

// Runs the pipeline as far as the last of the moments (ascending), and calls `look` at each of them
// with the pass that ran last; at 0 before all passes.
void optimise_until(llvm::Module& module, llvm::TargetMachine& machine, int level,
                    const std::vector<std::size_t>& moments,
                    const std::function<void(std::size_t moment, const std::string& pass)>& look,
                    const Cancellation& cancellation);

// An ELF object; null when LLVM cannot.
std::unique_ptr<llvm::MemoryBuffer> generate_object(llvm::Module& module,
                                                    llvm::TargetMachine& machine);
std::string generate_assembly(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace loopglass::codegen
