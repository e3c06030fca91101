// From a lowered Func to object code. Listings go the way again, with names and line tables, when
// somebody asks: it is deterministic, and most kernels are never looked at.
#include "core/codegen/object_code.h"
#include "core/codegen/pipeline.h"
#include "core/codegen/workbench.h"

#include <llvm/Support/MemoryBuffer.h>

namespace loopglass::codegen {

Result<ObjectCode> generate(const loop::Func& lowered, const CompileOptions& options) {
  const Plan plan = TRY(make_plan(lowered, options.in_place));
  const auto bench = TRY(Workbench::with(lowered, plan, options.optimisation_level));
  optimise(*bench, options);
  const std::unique_ptr<llvm::MemoryBuffer> object =
      generate_object(bench->module(), bench->machine());
  if (!object)
    return fail(Code::CodegenFailed, "this processor's code generator writes no object files",
                lowered.name);
  return ObjectCode{object->getBuffer().str(), {plan.workspace_bytes, lowered.symbols}};
}

Result<std::shared_ptr<const CompiledKernel>> compile(const loop::Func& lowered,
                                                      const CompileOptions& options) {
  return load(TRY(generate(lowered, options)));
}

}  // namespace loopglass::codegen
