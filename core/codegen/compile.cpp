// The whole way from a lowered Func to a kernel in memory. Listings run the way again, with names and
// line tables, when somebody asks: it is deterministic, and most kernels are never looked at.
#include "core/codegen/emit.h"
#include "core/codegen/jit.h"
#include "core/codegen/kernel.h"
#include "core/codegen/listing.h"
#include "core/codegen/pipeline.h"
#include "core/codegen/plan.h"
#include "core/codegen/target.h"
#include "core/support/check.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <mutex>

namespace loopglass::codegen {
namespace {

// A module with the context and target machine it needs; for one thread.
struct Workbench {
  std::shared_ptr<llvm::TargetMachine> machine;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;

  Workbench(const loop::Func& func, const Plan& plan, const LineMap& lines, int level, bool for_listing)
      : machine(make_target_machine(level)) {
    context.setDiscardValueNames(!for_listing);
    module = std::make_unique<llvm::Module>(func.name, context);
    module->setTargetTriple(machine->getTargetTriple().str());
    module->setDataLayout(machine->createDataLayout());
    emit(*module, func, plan, lines, for_listing);
  }
};

class Kernel : public CompiledKernel {
 public:
  Kernel(loop::Func func, CompileOptions options, Plan plan, std::shared_ptr<const LoadedCode> code)
      : func_(std::move(func)), options_(std::move(options)), plan_(std::move(plan)), code_(std::move(code)) {}

  EntryPoint entry() const override { return code_->entry(); }
  std::int64_t workspace_bytes() const override { return plan_.workspace_bytes; }

  const std::vector<LlvmStep>& llvm() const override {
    std::call_once(llvm_once_, [this] {
      Workbench bench(func_, plan_, lines(), options_.optimisation_level, true);
      std::vector<LlvmStep> steps;
      steps.push_back({"emitted", list_module(*bench.module)});
      optimise(*bench.module, *bench.machine, options_.optimisation_level, &steps);
      std::vector<SourceLine> last = steps.back().lines;
      steps.push_back({"optimised", std::move(last)});
      llvm_ = std::move(steps);
    });
    return llvm_;
  }

  const std::vector<SourceLine>& assembly() const override {
    std::call_once(assembly_once_, [this] {
      Workbench bench(func_, plan_, lines(), options_.optimisation_level, true);
      optimise(*bench.module, *bench.machine, options_.optimisation_level);
      assembly_ = list_assembly(generate_assembly(*bench.module, *bench.machine));
    });
    return assembly_;
  }

  const loop::Listing& loop_listing() const override {
    lines();
    return listing_;
  }

  Result<std::shared_ptr<const CompiledKernel>> for_func(const loop::Func& func) const {
    return std::make_shared<const Kernel>(func, options_, TRY(make_plan(func, options_.in_place)), code_);
  }

 private:
  const LineMap& lines() const {
    std::call_once(listing_once_, [this] { listing_ = loop::print(func_, &lines_); });
    return lines_;
  }

  loop::Func func_;
  CompileOptions options_;
  Plan plan_;
  std::shared_ptr<const LoadedCode> code_;
  mutable std::once_flag llvm_once_, assembly_once_, listing_once_;
  mutable std::vector<LlvmStep> llvm_;
  mutable std::vector<SourceLine> assembly_;
  mutable loop::Listing listing_;
  mutable LineMap lines_;
};

}  // namespace

Result<std::shared_ptr<const CompiledKernel>> compile(const loop::Func& lowered, const CompileOptions& options) {
  Plan plan = TRY(make_plan(lowered, options.in_place));
  // Without a listing nobody asks for lines.
  Workbench bench(lowered, plan, {}, options.optimisation_level, false);
  std::string problem;
  llvm::raw_string_ostream out(problem);
  if (llvm::verifyModule(*bench.module, &out))
    return fail(Code::CodegenFailed, "the emitted LLVM IR is not valid: " + problem, lowered.name);
  optimise(*bench.module, *bench.machine, options.optimisation_level);
  std::unique_ptr<llvm::MemoryBuffer> object = generate_object(*bench.module, *bench.machine);
  if (!object) return fail(Code::CodegenFailed, "this processor's code generator writes no object files", lowered.name);
  std::unique_ptr<LoadedCode> code = TRY(load(std::move(object)));
  return std::make_shared<const Kernel>(lowered, options, std::move(plan), std::move(code));
}

Result<std::shared_ptr<const CompiledKernel>> share_code(const CompiledKernel& compiled, const loop::Func& lowered) {
  const auto* kernel = dynamic_cast<const Kernel*>(&compiled);
  CHECK(kernel != nullptr, "a kernel of another make");
  return kernel->for_func(lowered);
}

}  // namespace loopglass::codegen
