// What keeps a kernel from running faster: its time held against the roofs, and where it is far
// from all of them, against experiments (experiment.h), the assembly, and what its innermost loop
// is by counting.
//
// A kernel runs by itself, over and over: what fits a cache is there when the next run begins.
#pragma once

#include "core/codegen/innermost_code.h"
#include "core/loop/func.h"
#include "core/measure/worker_pool.h"
#include "core/roofline/ceilings.h"
#include "core/roofline/experiment.h"
#include "core/roofline/roofs.h"
#include "core/roofline/traffic.h"
#include "core/support/result.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopglass::roofline {

struct Trial {
  Experiment experiment = {};
  double milliseconds = 0;
  friend bool operator==(const Trial&, const Trial&) = default;
};

struct Verdict {
  double milliseconds = 0;  // measured
  int threads = 1;
  Traffic traffic;
  std::vector<Ceiling> ceilings;  // the highest first
  std::vector<Trial> trials;      // those that were run
  Bound bound = Bound::Unexplained;
  std::string sentence;            // why, with the numbers
  std::vector<std::string> notes;  // what speaks against it, and what else is in the way
  // What it would take if this did not bind, at the least: what the next thing asks for.
  double otherwise_ms = 0;

  double gflops() const { return traffic.useful_flops / milliseconds * 1e-6; }
  // Of the highest roof that it can have: min(peak, FLOPs a byte times a level's bandwidth).
  double share_of_roof() const { return ceilings.empty() ? 0 : ceilings.front().share; }
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// What the experiment changes, and where the nest is slower for it, that this tells nothing.
std::string words(const Trial& trial, const Verdict& verdict);

struct Asked {
  loop::Func initial;
  // What the schedule makes of it, and the loop passes of that, with the symbols' values in their
  // place.
  loop::Func scheduled, lowered;
  std::string script;
  std::map<std::string, std::int64_t> symbols = {};  // of `initial`
  Machine machine = {};
  int threads = 1;
  // Of its machine code, which is looked at only where nothing else explains its time. Undefined:
  // nobody looks.
  std::function<std::optional<codegen::InnermostInstructions>()> code = {};
};

// Times the kernel, and what is needed of experiments, in a worker. What WorkerPool::diagnose says,
// of the kernel as it is; an experiment that does not run is left out.
Result<Verdict> verdict_of(const Asked& asked, const Roofs& roofs, measure::WorkerPool& workers,
                           const Cancellation& cancellation = {});

}  // namespace loopglass::roofline
