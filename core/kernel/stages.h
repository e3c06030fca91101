// The way of a kernel: a loop nest, scheduled, lowered, and made object code, whoever asks: a
// network's stage, an estimate, a benchmark, a test, a tuner.
//
// Each stage is a value that follows from its arguments alone; nothing is asked of the process or
// of the machine it runs on but what stands in Tools.
#pragma once

#include "core/codegen/object_code.h"
#include "core/machine/machine.h"
#include "core/pass/runner.h"
#include "core/script/steps.h"

#include <optional>

namespace loopglass::kernel {

// What kernels are made with.
struct Tools {
  Machine machine;                          // that default schedules are for
  std::vector<pass::FuncPass> loop_passes;  // in their order
  codegen::LlvmPasses llvm_passes = {};
};

// A loop nest and what a schedule makes of it.
struct Scheduled {
  loop::Func initial;
  schedule::Trace trace;
  schedule::Steps schedule;                 // one per primitive
  std::vector<schedule::InPlace> in_place;  // what the schedule lets be written over what

  const loop::Func& scheduled() const { return schedule.empty() ? initial : schedule.last(); }
};

// ... and what the loop passes make of that. Step 0 is the scheduled Func.
struct Lowered : Scheduled {
  pass::FuncHistory lowering;
  codegen::WorkspaceSize workspace = {};
  codegen::LlvmPasses llvm_passes = {};  // that will make machine code of it

  const loop::Func& lowered() const { return lowering.last(); }
  codegen::CompileOptions compile_options() const;
};

// By `trace`; without one, by the default schedule for the machine. ScheduleIllegal.
Result<Scheduled> schedule(loop::Func initial, const std::optional<schedule::Trace>& trace,
                           const Tools& tools, const Cancellation& cancellation = {});
Result<Lowered> lower(Scheduled scheduled, const Tools& tools,
                      const Cancellation& cancellation = {});

// Both, by the default schedule.
Result<Lowered> by_default(loop::Func initial, const Tools& tools);

}  // namespace loopglass::kernel
