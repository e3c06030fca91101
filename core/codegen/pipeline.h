// LLVM's optimisation pipeline and code generation, and what can be seen of them.
#pragma once

#include "core/codegen/llvm_passes.h"
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

class Workbench;

std::size_t instruction_count(const llvm::Module& module);

// Runs the pass pipeline for the level, of its passes those that the options have. Level 3 is O3
// where a loop is left to LLVM. Where a schedule has given every innermost loop its lanes, five
// passes make code as fast as O3's: buffers into registers, equal values once (what unrolled copies
// compute alike), what does not change out of loops, loops unrolled as their annotations say, equal
// values again. Whole networks are compiled in two thirds to nine tenths of the time. The last pass
// is of our own (masked_loads.h).
void optimise(Workbench& bench, const CompileOptions& options);

// The same; the names of passes that may be left out, as many as ran, in alphabetical order.
std::vector<std::string> optional_passes_run(Workbench& bench, const CompileOptions& options);

struct Recording {
  std::vector<PassRun> runs;    // those that changed the module's text
  std::uint64_t blocks_hashed;  // the work that finding them took
};
// optimise(), telling what changed. Prints nothing, so it takes hardly longer. Where it is
// cancelled, no more passes run and the module is of no use.
Recording optimise_recorded(Workbench& bench, const CompileOptions& options,
                            const Cancellation& cancellation);

// Runs the pipeline as far as the last of the moments (ascending), and calls `look` at each of them
// with the pass that ran last; at 0 before all passes.
void optimise_until(Workbench& bench, const CompileOptions& options,
                    const std::vector<std::size_t>& moments,
                    const std::function<void(std::size_t moment, const std::string& pass)>& look,
                    const Cancellation& cancellation);

// An ELF object; null when LLVM cannot.
std::unique_ptr<llvm::MemoryBuffer> generate_object(llvm::Module& module,
                                                    llvm::TargetMachine& machine);
std::string generate_assembly(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace loopglass::codegen
