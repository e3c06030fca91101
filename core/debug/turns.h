// Timing networks against one another: round by round in turns, so that the machine's moods fall on
// all.
#pragma once

#include "core/debug/evaluator.h"

namespace loopglass::debug {

struct Contestant {
  std::shared_ptr<runtime::Executor> executor;
  std::vector<Tensor> inputs;
};

struct TurnOptions {
  int rounds = 15, warm_up = 3;
  Control control;
};

// One for each contestant, in their order.
Result<std::vector<runtime::Statistics>> time_in_turns(const std::vector<Contestant>& contestants,
                                                       runtime::ThreadPool& pool,
                                                       const TurnOptions& options);

}  // namespace loopglass::debug
