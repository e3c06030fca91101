#include "core/kernel/stages.h"

#include "core/codegen/plan.h"
#include "core/default_schedule/default_schedule.h"
#include "core/script/replayer.h"

namespace loopglass::kernel {

codegen::CompileOptions Lowered::compile_options() const {
  codegen::CompileOptions options;
  options.in_place = in_place;
  options.llvm_passes = llvm_passes;
  return options;
}

Result<Scheduled> schedule(loop::Func initial, const std::optional<schedule::Trace>& trace,
                           const Tools& tools, const Cancellation& cancellation) {
  Scheduled kernel;
  kernel.initial = std::move(initial);
  if (trace) {
    kernel.trace = *trace;
    kernel.schedule =
        schedule::Steps(TRY(schedule::replay(kernel.initial, kernel.trace, cancellation)));
  } else {
    auto chosen = TRY(schedule::schedule_by_default(kernel.initial, tools.machine));
    kernel.trace = std::move(chosen.trace);
    kernel.schedule = schedule::Steps(kernel.initial, kernel.trace, std::move(chosen.func));
  }
  kernel.in_place = schedule::in_place_pairs(kernel.scheduled());
  return kernel;
}

Result<Lowered> lower(Scheduled scheduled, const Tools& tools, const Cancellation& cancellation) {
  Lowered kernel{std::move(scheduled), {}, {}, tools.llvm_passes};
  kernel.lowering = TRY(pass::run(std::make_shared<const loop::Func>(kernel.scheduled()),
                                  tools.loop_passes, {{}, {}, {}, cancellation}));
  const loop::Func& lowered = kernel.lowered();
  kernel.workspace = {TRY(codegen::make_plan(lowered, kernel.in_place)).workspace_bytes,
                      lowered.symbols};
  return kernel;
}

Result<Lowered> by_default(loop::Func initial, const Tools& tools) {
  return lower(TRY(schedule(std::move(initial), {}, tools)), tools);
}

}  // namespace loopglass::kernel
