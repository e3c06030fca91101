// loopglassc bench --per-line: what each line of a kernel's schedule buys.
#pragma once

#include "core/runtime/benchmark.h"
#include "core/session.h"

namespace loopglass::app {

// Times the kernel (by name or number; of several one must be named) after each line of its script
// that changes it, beginning with none, and prints a row for each.
Result<void> bench_lines(Session& session, const std::string& kernel,
                         const runtime::BenchmarkOptions& options, bool json);

}  // namespace loopglass::app
