// What the graph passes came to, on half a page.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::app {

// The passes that changed something, with their rewrites by rule and their remarks by code.
void print_passes_summary(const pass::GraphHistory& history, const std::string& model, bool json);

}  // namespace loopglass::app
