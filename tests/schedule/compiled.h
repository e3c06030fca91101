// Schedules, compiled, against the interpreter on the nest before them.
#pragma once

#include "core/loop/func.h"
#include "core/runtime/thread_pool.h"

#include <string>

namespace loopglass::schedule {

// What a script, or the default schedule, and all loop passes make of a nest.
Result<loop::Func> lowered(const loop::Func& func, const std::string& script);

// Its machine code gives the same results to the bit, on small whole numbers.
void expect_compiled_right(const loop::Func& func, runtime::ThreadPool& pool,
                           const std::string& script = {});

}  // namespace loopglass::schedule
