// The kernels of a page: their texts from tensor expressions to assembly, and what each line came
// from.
#pragma once

#include "core/session.h"

#include <string>

namespace loopglass::app {

// As the text of a JSON array, in the plan's order. Compiles what is not compiled yet, on as many
// threads as run at once. Texts that a page has no room for are left out, the longest first, and
// each says so. `report` may be null. Cancelled.
Result<std::string> page_kernels(Session& session, const runtime::BenchmarkReport* report,
                                 const Progress& progress, const Cancellation& cancellation);

}  // namespace loopglass::app
