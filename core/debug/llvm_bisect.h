// The pass of LLVM after which the speed of one kernel changes most.
//
// The pipeline ends after a step of it, machine code is generated from what there is then, and that
// is timed against the code of another step, in turns and in a process of its own. What each gives
// is held against the nest as it stands without a schedule.
#pragma once

#include "core/codegen/llvm_passes.h"
#include "core/kernel/stages.h"
#include "core/measure/worker_pool.h"
#include "core/runtime/times_in_turns.h"
#include "core/support/cancellation.h"
#include "core/tune/task.h"

namespace loopglass::debug {

struct LlvmBisectOptions {
  int turns = 15;          // of the last comparison
  bool thorough = false;   // compares all neighbours instead of halving
  std::uint64_t seed = 1;  // of the kernel's inputs
  Cancellation cancellation = {};
  Progress progress = {};  // how much is left of a search that halves nobody knows: less than 0
};

struct LlvmBisectReport {
  std::vector<codegen::PassRun> steps;                       // of the whole pipeline
  std::vector<std::pair<std::size_t, double>> milliseconds;  // of steps that were timed, in order
  // Where the change is largest: from the step before this one to it. 0: no step changes the code.
  std::size_t step = 0;
  runtime::TimesInTurns times;
};

// Begins with the two ends, and parts the interval with the largest change until it is one step:
// what a pass does and a later one undoes within an interval is not seen. `kernel` is the task's
// nest, lowered. What codegen::generate() and WorkerPool::diagnose() say, ResultMismatch; with the
// step where they do.
Result<LlvmBisectReport> bisect_llvm(const tune::Task& task, const kernel::Lowered& kernel,
                                     measure::WorkerPool& workers,
                                     const LlvmBisectOptions& options = {});

}  // namespace loopglass::debug
