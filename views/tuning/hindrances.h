// Why what a person asks of a run cannot be, before the run is asked.
#pragma once

#include "views/tuning/shown_run.h"

namespace loopglass::views {

// Nothing is left that may be tried by these rules; nothing: something is. The run's space is
// known.
std::optional<std::string> hindrance_of(const std::vector<tune::KnobRule>& rules,
                                        const ShownRun& run);
// The script is not legal on the nest, in a line.
std::optional<std::string> hindrance_of(const std::string& script, const loop::Func& nest);

}  // namespace loopglass::views
