// Where a kernel's LLVM IR is made and worked on.
#pragma once

#include "core/codegen/emit.h"
#include "core/codegen/kernel.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
}  // namespace llvm

namespace loopglass::codegen {

// A module with the context and target machine it needs; for one thread. Two of the same Func go
// the same way, instruction by instruction.
class Workbench {
 public:
  // With the emitted IR of the Func, which is valid. With `lines` it is to be shown: it keeps names
  // and has line tables. CodegenFailed.
  static Result<std::unique_ptr<Workbench>> with(const loop::Func& func, const Plan& plan,
                                                 int optimisation_level,
                                                 const LineMap* lines = nullptr);
  ~Workbench();

  llvm::Module& module() { return *module_; }
  llvm::TargetMachine& machine() { return *machine_; }
  // Whether every innermost loop is one of lanes, or around lanes and unrolled copies: LLVM need
  // not look for any.
  bool lanes_are_decided() const { return lanes_are_decided_; }

 private:
  Workbench(const std::string& name, int optimisation_level, bool with_names);

  std::shared_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  bool lanes_are_decided_ = false;
};

}  // namespace loopglass::codegen
