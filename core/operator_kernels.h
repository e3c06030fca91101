// Networks in which every operator is its own kernel, as given: what single kernels, and calls of
// them, are measured by.
#pragma once

#include "core/runtime/calibrate.h"
#include "core/session.h"

namespace loopglass {

// By these tools; of each network what Session::executor says.
runtime::CompileNetwork compile_by_operator(const Toolchain& toolchain);

}  // namespace loopglass
