// A nest as its buffers lie in memory, for whoever follows its accesses.
#pragma once

#include "core/pass/runner.h"

#include <span>

namespace loopglass::locality {

// Each buffer as large as what is touched of it while it lives, as the loop passes up to
// compact-buffers make it: what an iteration has for itself lies in one place for all of them. The
// nest as it is where a pass refuses it.
loop::Func as_in_memory(const loop::Func& nest, std::span<const pass::FuncPass> loop_passes);

}  // namespace loopglass::locality
