#include "core/codegen/workbench.h"

#include "core/codegen/target.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace loopglass::codegen {

Workbench::Workbench(const std::string& name, int optimisation_level, bool with_names)
    : machine_(make_target_machine(optimisation_level)),
      context_(std::make_unique<llvm::LLVMContext>()),
      module_(std::make_unique<llvm::Module>(name, *context_)) {
  context_->setDiscardValueNames(!with_names);
  module_->setTargetTriple(machine_->getTargetTriple().str());
  module_->setDataLayout(machine_->createDataLayout());
}

Workbench::~Workbench() = default;

Result<std::unique_ptr<Workbench>> Workbench::with(const loop::Func& func, const Plan& plan,
                                                   int optimisation_level, const LineMap* lines) {
  std::unique_ptr<Workbench> bench(new Workbench(func.name, optimisation_level, lines != nullptr));
  static const LineMap no_lines;
  emit(bench->module(), func, plan, lines ? *lines : no_lines, lines != nullptr);
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (llvm::verifyModule(bench->module(), &out))
    return fail(Code::CodegenFailed, "the emitted LLVM IR is not valid: " + problem, func.name);
  return bench;
}

}  // namespace loopglass::codegen
