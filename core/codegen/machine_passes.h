// Code generation pass by pass: from optimised LLVM IR to what assembly is printed from. Its first
// passes still work on LLVM IR; instruction selection makes machine instructions of it.
//
// LLVM runs all of these passes over one function before it comes to the next. What is told of a
// pass is nevertheless of the whole module: each function as it is after that pass.
#pragma once

#include "core/codegen/kernel_listings.h"
#include "core/codegen/pipeline.h"

#include <map>

namespace loopglass::codegen {

struct Generation {
  std::string assembly;         // as generate_assembly() gives it
  std::vector<PassRun> passes;  // that changed what listings show, in their order
};
Generation generate_recorded(llvm::Module& module, llvm::TargetMachine& machine,
                             const Cancellation& cancellation);

// The module after each of these passes, by moment (ascending, as generate_recorded() tells them);
// those behind the last do not run. Of no use where it is cancelled.
std::map<std::size_t, SourceLines> list_generation(llvm::Module& module,
                                                   llvm::TargetMachine& machine,
                                                   const std::vector<std::size_t>& moments,
                                                   const Cancellation& cancellation);

}  // namespace loopglass::codegen
