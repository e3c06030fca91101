// What each line of a schedule buys: the kernel by itself, timed after every line of its script
// that changes it, beginning with none. All lines are timed in turns, so that the machine's moods
// fall on all; of its turns each keeps the quickest.
#pragma once

#include "core/default_schedule/inner_loop.h"
#include "core/loop/func.h"
#include "core/measure/worker_pool.h"
#include "core/support/fault.h"
#include "core/support/machine_load.h"

#include <functional>

namespace loopglass::measure {

struct ScriptAsked {
  loop::Func nest;  // before anything is scheduled
  std::string script;
  std::vector<std::int64_t> extents = {};  // of its symbols, in their order
  Machine machine = {};
  int threads = 1;
  int turns = 2;
  int rounds_at_least = 5;  // of each turn
  int warm_up = 1;
};

struct LineTime {
  int line = 0;      // of the script's text, from 1; 0: before all
  std::string call;  // the line itself; empty: none
  runtime::Statistics time;
  double gflops = 0;  // what the nest computes before it is scheduled, in that time
  int threads = 1;    // that it ran on
  std::vector<schedule::LimitRemark> limits = {};  // of its innermost loop, the gravest first
  std::string not_compiled = {};  // why there is no time; of a line before the last
};

struct ScriptTimes {
  std::vector<LineTime> lines;
  std::optional<MachineLoad> load = {};  // meanwhile; nothing: not known
};

// What is known so far, after each measurement; of lines that were not timed yet `time.rounds` is
// 0.
using OnLines = std::function<void(const ScriptTimes&)>;

// TextMalformed, ScheduleIllegal and its like, what WorkerPool::diagnose says: with the line.
Result<ScriptTimes> time_script(const ScriptAsked& asked, WorkerPool& workers,
                                const Progress& progress = {},
                                const Cancellation& cancellation = {},
                                const OnLines& on_lines = {});

}  // namespace loopglass::measure
