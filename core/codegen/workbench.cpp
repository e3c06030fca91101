#include "core/codegen/workbench.h"

#include "core/codegen/target.h"
#include "core/loop/walk.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

namespace loopglass::codegen {

namespace {

struct Loops {
  bool any = false;     // of lanes or of iterations; unrolled copies stand in a row
  bool scalar = false;  // one that turns around single elements: LLVM may make lanes of it
};

Loops loops_in(const loop::Stmt& stmt) {
  Loops found;
  for (const loop::Stmt& child : loop::children(stmt)) {
    const Loops inside = loops_in(child);
    found.any |= inside.any;
    found.scalar |= inside.scalar;
  }
  const auto* loop = loop::as<loop::For>(stmt);
  if (loop == nullptr || loop->kind == loop::ForKind::Unrolled) return found;
  found.scalar |= !found.any && loop->kind != loop::ForKind::Vectorized;
  found.any = true;
  return found;
}

}  // namespace

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
  bench->lanes_are_decided_ = !loops_in(func.body).scalar;
  static const LineMap no_lines;
  emit(bench->module(), func, plan, lines ? *lines : no_lines, lines != nullptr);
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (llvm::verifyModule(bench->module(), &out))
    return fail(Code::CodegenFailed, "the emitted LLVM IR is not valid: " + problem, func.name);
  return bench;
}

}  // namespace loopglass::codegen
