// What if the same graph were fused in another way? Several plans of it, made under strategies,
// constraints and edits of their own, and on request run: do they agree, and how fast are they?
#pragma once

#include "core/debug/lens.h"
#include "core/fusion/compare.h"
#include "core/fusion/edits.h"
#include "core/runtime/times_in_turns.h"

namespace loopglass::debug {

struct PlanVariant {
  std::string strategy;  // empty: the toolchain's first
  fusion::Constraints constraints;
  std::shared_ptr<const fusion::EditScript> edits;  // for strategy "manual"
};

struct WhatIfOptions {
  std::shared_ptr<const fusion::CostModel> cost;  // null: the defaults
  bool measure = false;          // compiles all networks, compares their results and times them
  std::optional<Inputs> inputs;  // none: random
  Tolerance tolerance;
  int threads = runtime::hardware_threads();
  int rounds = 15, warm_up = 3;
  Control control;
  std::shared_ptr<measure::WorkerPool> workers = nullptr;  // that time them; null: this process
  kernel::Schedules schedules = {};                        // a person's, of whichever kernels
};

struct PlanOutcome {
  std::shared_ptr<const fusion::Plan> plan;
  fusion::PlanSummary summary;
  // With `measure`:
  std::optional<runtime::Statistics> time;
  // Of each round, in milliseconds; the same for all that were timed in the same turns.
  std::shared_ptr<const std::vector<std::vector<double>>> rounds = nullptr;
  std::size_t place = 0;                 // its own among these
  std::optional<MachineLoad> load = {};  // while all were timed; nothing: not known
  int threads = 1;                       // they were timed on
  bool agrees = true;  // its results are those of the first network, within the tolerance
};

// Nothing of plans that were not timed in the same turns.
std::optional<runtime::TimesInTurns> times_in_turns(const PlanOutcome& before,
                                                    const PlanOutcome& after);

// One for each variant, in their order. What a variant asks for and cannot be is PlanInvalid, with
// the code of the reason.
Result<std::vector<PlanOutcome>> what_if(const Toolchain& toolchain,
                                         std::shared_ptr<const graph::Graph> graph,
                                         const std::vector<PlanVariant>& variants,
                                         const WhatIfOptions& options = {});

}  // namespace loopglass::debug
