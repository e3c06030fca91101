// The passes over LLVM IR that a kernel goes through: which change it, and which may be switched
// off.
#pragma once

#include "core/codegen/kernel.h"

#include <string>
#include <vector>

namespace loopglass::codegen {

struct PassRun {
  std::string pass;    // as listings name it
  std::size_t moment;  // how many passes had run by then, those included that changed nothing
};

// One that runs several times in a row (once per loop, say) makes one step: its last run.
std::vector<PassRun> steps_of(const std::vector<PassRun>& runs);

// "emitted", and the steps behind it that change the text: those that listings have. A kernel that
// is compiled with as many LlvmPasses::runs as a step's moment says ends with that step. What
// compile() refuses; thread-safe.
Result<std::vector<PassRun>> llvm_steps(const loop::Func& lowered,
                                        const CompileOptions& options = {});

// Passes of the pipeline that LLVM does not call required, in alphabetical order. Found by running
// it once; thread-safe.
const std::vector<std::string>& optional_llvm_passes();

}  // namespace loopglass::codegen
