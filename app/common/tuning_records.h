// What tuning has measured, and how it comes to a session's kernels.
#pragma once

#include "core/session.h"
#include "core/tune/record.h"

namespace loopglass::app {

// Each kernel gets the fastest script that the files have for its workload on this processor and
// target: measured on as many threads as run at once here, else on one, else on any. Says on the
// error stream how many. Where a kernel has none, it is scheduled as always. RecordsUnreadable.
Result<void> apply_records(Session& session, const std::vector<std::string>& files);

// Lines of a file that could not be read, on the error stream.
void print_passed_over(const tune::Records& records, const std::string& file);

}  // namespace loopglass::app
