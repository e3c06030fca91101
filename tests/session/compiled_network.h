// Networks through the whole Session, against the interpreter.
#pragma once

#include "tests/session/session_on.h"

#include <gtest/gtest.h>

namespace loopglass {

// Compiles the network, or fails with its text where that takes too long.
Result<std::shared_ptr<runtime::Executor>> executor_in_time(Session& session);

// Compiles the network in time and expects the interpreter's results on random inputs, at 1 and 2
// threads.
void expect_compiled_equals_interpreted(Session& session, double absolute = 1e-4,
                                        double relative = 1e-3);

}  // namespace loopglass
