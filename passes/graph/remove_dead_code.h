// Removes operators that no graph output depends on, and constants nobody uses.
//
//   y = Relu(x); z = Exp(x); output y    =>    y = Relu(x); output y
//
// Last: it clears away what the other passes leave behind.
#pragma once

#include "core/pass/runner.h"

namespace loopglass::passes {

Result<graph::Graph> remove_dead_code(const graph::Graph& graph, pass::Report& report);
pass::Words remove_dead_code_words();

}  // namespace loopglass::passes
