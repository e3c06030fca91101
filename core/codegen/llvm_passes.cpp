#include "core/codegen/llvm_passes.h"

#include "core/codegen/pipeline.h"
#include "core/codegen/workbench.h"
#include "core/loop/text.h"
#include "core/support/check.h"

namespace loopglass::codegen {
namespace {

// With a loop, so that passes over loops have one to run on.
constexpr std::string_view probe =
    "func probe(X: float32[64] input, Y: float32[64] output) {\n"
    "  for i in 64 { Y[i] = sqrt(X[i]) }\n"
    "}\n";

std::vector<std::string> find_optional() {
  const CompileOptions options;
  const auto func = loop::parse(probe);
  CHECK(func, "the probe is not a nest");
  const auto plan = make_plan(*func, {});
  CHECK(plan, "the probe has no storage");
  const auto bench = Workbench::with(*func, *plan, options.optimisation_level);
  CHECK(bench, "the probe is not compiled");
  return optional_passes_run(**bench, options);
}

}  // namespace

std::vector<PassRun> steps_of(const std::vector<PassRun>& runs) {
  std::vector<PassRun> steps;
  for (const PassRun& run : runs) {
    if (!steps.empty() && steps.back().pass == run.pass) steps.pop_back();
    steps.push_back(run);
  }
  return steps;
}

Result<std::vector<PassRun>> llvm_steps(const loop::Func& lowered, const CompileOptions& options) {
  const auto plan = TRY(make_plan(lowered, options.in_place));
  const auto bench = TRY(Workbench::with(lowered, plan, options.optimisation_level));
  std::vector<PassRun> steps = steps_of(optimise_recorded(*bench, options, {}).runs);
  steps.insert(steps.begin(), PassRun{"emitted", 0});
  return steps;
}

const std::vector<std::string>& optional_llvm_passes() {
  static const std::vector<std::string> passes = find_optional();
  return passes;
}

}  // namespace loopglass::codegen
