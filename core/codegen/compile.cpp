// The whole way from a lowered Func to a kernel in memory. Listings go the way again, with names
// and line tables, when somebody asks: it is deterministic, and most kernels are never looked at.
#include "core/codegen/jit.h"
#include "core/codegen/kernel.h"
#include "core/codegen/pipeline.h"
#include "core/codegen/workbench.h"

#include <llvm/Support/MemoryBuffer.h>

namespace loopglass::codegen {
namespace {

class Kernel : public CompiledKernel {
 public:
  Kernel(std::int64_t workspace_bytes, std::unique_ptr<LoadedCode> code)
      : workspace_bytes_(workspace_bytes), code_(std::move(code)) {}

  EntryPoint entry() const override { return code_->entry(); }
  std::int64_t workspace_bytes() const override { return workspace_bytes_; }

 private:
  std::int64_t workspace_bytes_;
  std::unique_ptr<LoadedCode> code_;
};

}  // namespace

Result<std::shared_ptr<const CompiledKernel>> compile(const loop::Func& lowered,
                                                      const CompileOptions& options) {
  const Plan plan = TRY(make_plan(lowered, options.in_place));
  const auto bench = TRY(Workbench::with(lowered, plan, options.optimisation_level));
  optimise(bench->module(), bench->machine(), options.optimisation_level);
  std::unique_ptr<llvm::MemoryBuffer> object = generate_object(bench->module(), bench->machine());
  if (!object)
    return fail(Code::CodegenFailed, "this processor's code generator writes no object files",
                lowered.name);
  return std::make_shared<const Kernel>(plan.workspace_bytes, TRY(load(std::move(object))));
}

}  // namespace loopglass::codegen
