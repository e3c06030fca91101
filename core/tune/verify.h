// The results of a script against those of the interpreter, which knows nothing of schedules and of
// machine code.
#pragma once

#include "core/tune/measurer.h"

namespace loopglass::tune {

struct Verified {
  bool by_interpreter = false;  // else the nest is too much for it, and machine code of its loops
                                // as they stand was what it was compared with
};
// ResultMismatch, what a worker's failure says, Cancelled.
Result<Verified> verify(const Task& task, const std::string& script, measure::WorkerPool& workers,
                        const Cancellation& cancellation = {});

}  // namespace loopglass::tune
